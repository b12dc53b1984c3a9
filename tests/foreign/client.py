"""Uses a cluster through gRPC reflection alone: creates runs, watches one, reads results, lists boards, makes mistakes."""

import sys

import grpc
from google.protobuf import descriptor_pool, message_factory
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

KNOWN = {8: ("92", "12"), 13: ("73712", "9233")}


class Cluster:
    """A client made at run time from what the server says of itself."""

    def __init__(self, address):
        self.channel = grpc.insecure_channel(address)
        self.pool = descriptor_pool.DescriptorPool(ProtoReflectionDescriptorDatabase(self.channel))

    def __call__(self, service, method, **fields):
        """Calls a method; returns the response, or an iterator of responses if the method streams."""
        descriptor = self.pool.FindServiceByName(f"nqueens.v1.{service}").methods_by_name[method]
        request = message_factory.GetMessageClass(descriptor.input_type)(**fields)
        response = message_factory.GetMessageClass(descriptor.output_type)
        kind = self.channel.unary_stream if descriptor.server_streaming else self.channel.unary_unary
        path = f"/nqueens.v1.{service}/{method}"
        call = kind(path, request_serializer=type(request).SerializeToString, response_deserializer=response.FromString)
        return call(request, timeout=60)

    def value(self, enum, name):
        """Returns the number of an enum value."""
        return self.pool.FindEnumTypeByName(f"nqueens.v1.{enum}").values_by_name[name].number


def counts(cluster):
    for n, (total, fundamental) in KNOWN.items():
        goal = cluster.value("Goal", "GOAL_COUNT")
        run = cluster("RunService", "CreateRun", n=n, goal=goal, request_id=f"python-{n}").run
        again = cluster("RunService", "CreateRun", n=n, goal=goal, request_id=f"python-{n}").run
        assert again.run_id == run.run_id, "the same request made two runs"
        states = [update.run.state for update in cluster("RunService", "WatchRun", run_id=run.run_id)]
        assert states[-1] == cluster.value("RunState", "RUN_STATE_DONE"), states
        answer = cluster("RunService", "GetRun", run_id=run.run_id).run.answer
        assert (answer.total, answer.fundamental) == (total, fundamental), answer


def boards(cluster):
    goal = cluster.value("Goal", "GOAL_BOARDS")
    run = cluster("RunService", "CreateRun", n=6, goal=goal).run
    stream = cluster("RunService", "StreamBoards", run_id=run.run_id)
    columns = b"".join(chunk.boards for chunk in stream)
    found = [list(columns[i : i + 6]) for i in range(0, len(columns), 6)]
    assert found == [[1, 3, 5, 0, 2, 4], [2, 5, 1, 4, 0, 3], [3, 0, 4, 1, 5, 2], [4, 2, 0, 5, 3, 1]], found


def mistakes(cluster):
    count = cluster.value("Goal", "GOAL_COUNT")
    wrong = [
        ("CreateRun", {"n": 0, "goal": count}, grpc.StatusCode.INVALID_ARGUMENT),
        ("CreateRun", {"n": 33, "goal": count}, grpc.StatusCode.INVALID_ARGUMENT),
        ("CreateRun", {"n": 8}, grpc.StatusCode.INVALID_ARGUMENT),
        ("CreateRun", {"n": 8, "goal": count, "request_id": "x" * 65}, grpc.StatusCode.INVALID_ARGUMENT),
        ("CreateRun", {"n": 9, "goal": count, "request_id": "python-8"}, grpc.StatusCode.ALREADY_EXISTS),
        ("GetRun", {"run_id": 999}, grpc.StatusCode.NOT_FOUND),
        ("PauseRun", {"run_id": 1}, grpc.StatusCode.FAILED_PRECONDITION),
        ("ListRuns", {"page_token": "nonsense"}, grpc.StatusCode.INVALID_ARGUMENT),
    ]
    for method, fields, code in wrong:
        try:
            cluster("RunService", method, **fields)
        except grpc.RpcError as error:
            assert error.code() == code, (method, fields, error)
            assert len(error.details()) > 10, error
        else:
            raise AssertionError(f"{method} {fields} was accepted")


def cluster_and_workers(cluster):
    assert cluster("ClusterService", "GetCluster").workers == 1
    (worker,) = cluster("ClusterService", "ListWorkers").workers
    assert worker.threads == 1 and worker.kernel, worker
    assert len(cluster("RunService", "ListRuns").runs) == len(KNOWN) + 1


if __name__ == "__main__":
    cluster = Cluster(sys.argv[1])
    counts(cluster)
    boards(cluster)
    mistakes(cluster)
    cluster_and_workers(cluster)
    print("a Python client used the cluster through reflection: 4 passed, 0 failed")
