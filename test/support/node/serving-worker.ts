import { runRpcWorker } from '../../../host/api/server/threads/rpc-worker-server.ts'

// An RPC worker without methods of its own.

runRpcWorker(() => ({}))
