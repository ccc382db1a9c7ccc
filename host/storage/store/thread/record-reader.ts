import { decodeRecord, type RecordParts } from '../codec/record-codec.ts'
import { readWalRecord, type WalLocation } from '../wal/write-ahead-log.ts'

interface KnownRecord {
  readonly location: WalLocation
  readonly parts: RecordParts
}

/**
 * Reads records of the write-ahead log, and caches those of a flush for the following work on the chain's databases:
 * reading and checking them twice would take a microsecond per transfer.
 */
export class WalRecordReader {
  readonly #known = new Map<number, KnownRecord>()

  /** @throws STORE_CORRUPTED */
  read(location: WalLocation): RecordParts {
    const known = this.#known.get(location.height)
    if (known !== undefined && isSame(known.location, location)) return known.parts
    return decodeRecord(location.height, readWalRecord(location))
  }

  /** Reads a record and caches it until `forget`. @throws STORE_CORRUPTED */
  keep(location: WalLocation): RecordParts {
    const parts = this.read(location)
    this.#known.set(location.height, { location, parts })
    return parts
  }

  /** Drops the cache. Call it after the records were used, and before their positions may hold others. */
  forget(): void {
    this.#known.clear()
  }
}

function isSame(a: WalLocation, b: WalLocation): boolean {
  return a.file === b.file && a.offset === b.offset && a.length === b.length
}
