import { LockstepError } from '../../../base/error.ts'
import type {
  AbciSnapshot,
  ApplyResult,
  OfferResult,
  SnapshotOffer,
  SnapshotPort,
} from '../../consensus/abci/snapshot-port.ts'
import type { SnapshotCatalog } from './snapshot-catalog.ts'

/** Snapshots of a node with a chain: it serves its own and accepts none. */
export class ServedSnapshots implements SnapshotPort {
  readonly #catalog: SnapshotCatalog

  constructor(catalog: SnapshotCatalog) {
    this.#catalog = catalog
  }

  async list(): Promise<readonly AbciSnapshot[]> {
    return this.#catalog.list()
  }

  load(height: number, format: number, index: number): Promise<Uint8Array> {
    return this.#catalog.load(height, format, index)
  }

  /** CometBFT offers a snapshot only if its own databases are empty. */
  offer({ snapshot }: SnapshotOffer): Promise<OfferResult> {
    return Promise.reject(
      new LockstepError(
        'CONSENSUS_FAILURE',
        `CometBFT has no state and offers a snapshot of height ${snapshot.height}, but this home has a chain`,
        { hint: 'run `lockstep consensus unsafe-reset-all`, and start the node again' },
      ),
    )
  }

  async apply(): Promise<ApplyResult> {
    return { result: 'abort', refetchChunks: [], rejectSenders: [] }
  }
}
