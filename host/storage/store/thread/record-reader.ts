import { decodeRecord, type RecordParts } from '../codec/record-codec.ts'
import { readWalRecord, type WalLocation } from '../wal/write-ahead-log.ts'

interface KnownRecord {
  readonly location: WalLocation
  readonly parts: RecordParts
}

/**
 * Reads records of the write-ahead log, and keeps those of a flush for the work on the chain's databases, which follows
 * it: read and checked twice they took a microsecond more of each transfer.
 */
export class RecordReader {
  readonly #known = new Map<number, KnownRecord>()

  /** @throws STORE_CORRUPTED */
  read(location: WalLocation): RecordParts {
    const known = this.#known.get(location.height)
    if (known !== undefined && isSame(known.location, location)) return known.parts
    return decodeRecord(location.height, readWalRecord(location))
  }

  /** Reads, and keeps until `forget`. @throws STORE_CORRUPTED */
  keep(location: WalLocation): RecordParts {
    const parts = this.read(location)
    this.#known.set(location.height, { location, parts })
    return parts
  }

  /** Called once the records were used, and before others may lie in their places. */
  forget(): void {
    this.#known.clear()
  }
}

function isSame(a: WalLocation, b: WalLocation): boolean {
  return a.file === b.file && a.offset === b.offset && a.length === b.length
}
