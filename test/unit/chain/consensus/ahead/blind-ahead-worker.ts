import { StateReader } from '../../../../../host/storage/store/reader/state-reader.ts'

// A thread that never has the latest state, as if it could not open its files.

StateReader.prototype.view = () => undefined

await import('../../../../../host/chain/consensus/ahead/speculation-worker.ts')
