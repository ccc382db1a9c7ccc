import { runRpcWorker } from '../../../host/api/server/threads/run-rpc-worker.ts'

// A serving thread that answers nothing by itself.

runRpcWorker(() => ({}))
