import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bigintToBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import type { RecordedReads } from '../../../evm/state/recorded-state.ts'
import { LmdbEnv, type LmdbTable } from '../../../storage/store/lmdb/lmdb-env.ts'
import { type FileLock, tryLockFile } from '../../../storage/store/sqlite/file-lock.ts'
import { WriteLock } from '../../../storage/store/sqlite/write-lock.ts'

const NOTHING = new Uint8Array(0)
const TEXT_ENCODER = new TextEncoder()
const TEXT_DECODER = new TextDecoder('utf-8', { ignoreBOM: true })

/** A cached value; undefined if it is known not to exist. */
export interface CachedValue {
  readonly value: Uint8Array | undefined
}

/**
 * Disk cache of another chain's state after one block, shared by all processes that fork the chain there. Rows never
 * change. The data can be fetched again, so commits do not wait for the disk, and a damaged file is recreated.
 */
export class ForkCache {
  readonly #env: LmdbEnv
  readonly #lock: WriteLock
  readonly #first: FileLock | undefined
  readonly #accounts: LmdbTable
  readonly #slots: LmdbTable
  readonly #codes: LmdbTable
  readonly #hashes: LmdbTable
  readonly #texts: LmdbTable
  readonly #slotKey = new Uint8Array(52)

  /**
   * Opens the cache in a folder, created if missing.
   * @throws STORE_DENIED, STORE_FULL; STORE_CORRUPTED if it is damaged and open in another process
   */
  static open(dir: string): ForkCache {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    const lock = new WriteLock(join(dir, 'write.lock'))
    const first = tryLockFile(join(dir, 'use.lock'))
    try {
      return lock.hold(
        () => new ForkCache(openEnv(join(dir, 'state'), first === undefined), lock, first),
      )
    } catch (thrown) {
      first?.release()
      lock.close()
      throw thrown
    }
  }

  private constructor(env: LmdbEnv, lock: WriteLock, first: FileLock | undefined) {
    this.#env = env
    this.#lock = lock
    this.#first = first
    this.#accounts = env.table('account')
    this.#slots = env.table('storage')
    this.#codes = env.table('code')
    this.#hashes = env.table('hash')
    this.#texts = env.table('text')
  }

  account(address: Uint8Array): CachedValue | undefined {
    return known(this.#accounts.get(address))
  }

  storage(address: Uint8Array, slot: Uint8Array): CachedValue | undefined {
    this.#slotKey.set(address)
    this.#slotKey.set(slot, 20)
    return known(this.#slots.get(this.#slotKey))
  }

  code(codeHash: Uint8Array): Uint8Array | undefined {
    return this.#codes.get(codeHash)
  }

  blockHash(number: number): CachedValue | undefined {
    return known(this.#hashes.get(bigintToBytes(BigInt(number), 8)))
  }

  /** Returns a cached text, such as a response about the block. */
  text(name: string): string | undefined {
    const bytes = this.#texts.get(TEXT_ENCODER.encode(name))
    return bytes && TEXT_DECODER.decode(bytes)
  }

  addText(name: string, text: string): void {
    this.#write(() => this.#texts.put(TEXT_ENCODER.encode(name), TEXT_ENCODER.encode(text)))
  }

  add({ accounts, slots, codes, blockHashes }: RecordedReads): void {
    this.#write(() => {
      // Code first: the code of a cached account must be in the cache.
      for (const { codeHash, code } of codes.values()) this.#codes.put(codeHash, code)
      for (const { address, record } of accounts.values()) {
        this.#accounts.put(address, record ?? NOTHING)
      }
      for (const { address, slot, value } of slots.values()) {
        this.#slotKey.set(address)
        this.#slotKey.set(slot, 20)
        this.#slots.put(this.#slotKey, value ?? NOTHING)
      }
      for (const [number, hash] of blockHashes) {
        this.#hashes.put(bigintToBytes(BigInt(number), 8), hash ?? NOTHING)
      }
    })
  }

  async close(): Promise<void> {
    await this.#lock.closeWith(() => this.#env.close())
    this.#first?.release()
  }

  #write(work: () => void): void {
    this.#lock.hold(() => this.#env.write(work))
  }
}

function openEnv(dir: string, isShared: boolean): LmdbEnv {
  try {
    return new LmdbEnv(dir, { isShared, isDisposable: true })
  } catch (thrown) {
    const isDamaged = thrown instanceof LockstepError && thrown.code === 'STORE_CORRUPTED'
    if (!isDamaged || isShared) throw thrown
    rmSync(dir, { recursive: true, force: true })
    return new LmdbEnv(dir, { isDisposable: true })
  }
}

function known(row: Uint8Array | undefined): CachedValue | undefined {
  return row && { value: row.length === 0 ? undefined : row }
}
