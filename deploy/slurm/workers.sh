#!/bin/bash
# Workers on a batch cluster: sbatch --array=1-100 deploy/slurm/workers.sh
# Slurm sends SIGTERM three minutes before the time is up; the worker then finishes what it can in two, hands back the rest
# and delivers, so that nothing is computed twice. The same happens at scancel --signal=TERM --full.
#SBATCH --job-name=nqueens
#SBATCH --array=1-10
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=16
#SBATCH --mem-per-cpu=64M
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@180
#SBATCH --requeue
set -euo pipefail

# The folder `worker` that `nqueens certs init` made, on a file system that the machines of the cluster share.
secrets=${NQUEENS_SECRETS:-$HOME/nqueens/worker}
export NQUEENS_COORDINATOR=${NQUEENS_COORDINATOR:?say where the coordinator is: https://HOST:7117}
export NQUEENS_CA=${NQUEENS_CA:-$secrets/ca.pem}
export NQUEENS_CERT=${NQUEENS_CERT:-$secrets/cert.pem}
export NQUEENS_KEY=${NQUEENS_KEY:-$secrets/key.pem}

# The shell becomes the worker, so it is the worker that gets the signal.
exec "${NQUEENS:-nqueens}" worker --grace 120 --threads "${SLURM_CPUS_PER_TASK:-1}" \
    --name "slurm-${SLURM_ARRAY_JOB_ID:-0}-${SLURM_ARRAY_TASK_ID:-0}"
