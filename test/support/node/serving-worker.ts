import { runRpcWorker } from '../../../host/api/server/threads/rpc-worker-server.ts'

// A serving thread that answers nothing by itself.

runRpcWorker(() => ({}))
