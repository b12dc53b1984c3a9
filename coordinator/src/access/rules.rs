//! Which right each call needs: the one place that says so, for both ports. What is not named here nobody may do.

use super::role::Right;

/// Returns what a gRPC method needs, by its path, such as `/nqueens.v1.RunService/GetRun`.
pub(crate) fn of_method(path: &str) -> Right {
    let Some((service, method)) = path.strip_prefix('/').and_then(|path| path.split_once('/')) else {
        return Right::Nobody;
    };
    match (service, method) {
        ("nqueens.v1.RunService", "CreateRun" | "PauseRun" | "ResumeRun" | "CancelRun") => Right::Steer,
        ("nqueens.v1.RunService", "GetRun" | "ListRuns" | "WatchRun" | "StreamBoards" | "ExportLedger") => {
            Right::Read
        }
        ("nqueens.v1.ClusterService", "GetCluster" | "ListWorkers") => Right::Read,
        ("nqueens.v1.ClusterService", "DrainWorker") => Right::Steer,
        ("nqueens.v1.WorkerService", "Work") => Right::Work,
        ("grpc.health.v1.Health", _) => Right::Open,
        ("grpc.reflection.v1.ServerReflection" | "grpc.reflection.v1alpha.ServerReflection", _) => {
            Right::Read
        }
        _ => Right::Nobody,
    }
}

/// Returns what an HTTP request needs. All that changes something is a POST; all that is read, a GET.
pub(crate) fn of_request(method: &str, path: &str) -> Right {
    match (method, path) {
        ("GET" | "HEAD", "/healthz" | "/readyz") => Right::Open,
        ("GET" | "HEAD", _) => Right::Read,
        // Those other than POST are not served; whoever may not even steer need not know.
        ("POST" | "OPTIONS" | "PUT" | "PATCH" | "DELETE", _) => Right::Steer,
        _ => Right::Nobody,
    }
}

#[cfg(test)]
mod tests {
    use prost::Message;
    use prost_types::FileDescriptorSet;

    use super::*;

    fn methods() -> Vec<String> {
        let files = FileDescriptorSet::decode(nqueens_proto::DESCRIPTORS).expect("descriptors").file;
        let of_file = |file: prost_types::FileDescriptorProto| {
            let package = file.package().to_owned();
            file.service.into_iter().flat_map(move |service| {
                let path = format!("/{package}.{}", service.name());
                service.method.into_iter().map(move |method| format!("{path}/{}", method.name()))
            })
        };
        files.into_iter().flat_map(of_file).collect()
    }

    #[test]
    fn every_method_has_a_rule_and_nothing_else_has() {
        let methods = methods();
        assert_eq!(methods.len(), 13, "{methods:?}");
        for method in methods {
            assert!(!matches!(of_method(&method), Right::Nobody | Right::Open), "{method}");
            assert_eq!(of_method(&format!("{method}s")), Right::Nobody, "{method}s");
        }
        for path in ["", "/", "nqueens.v1.RunService/GetRun", "/nqueens.v1.RunService", "//", "/a/b"] {
            assert_eq!(of_method(path), Right::Nobody, "{path}");
        }
    }

    #[test]
    fn only_health_is_open() {
        assert_eq!(of_request("GET", "/healthz"), Right::Open);
        assert_eq!(of_request("GET", "/readyz"), Right::Open);
        for path in ["/", "/metrics", "/healthz/", "/healthz/..", "/api/v1/runs", "/page.css"] {
            assert_eq!(of_request("GET", path), Right::Read, "{path}");
            assert_eq!(of_request("POST", path), Right::Steer, "{path}");
        }
        assert_eq!(of_request("POST", "/healthz"), Right::Steer);
        assert_eq!(of_request("TRACE", "/"), Right::Nobody);
    }
}
