import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { equalBytes } from '../../base/bytes.ts'
import { LockstepError, messageOf } from '../../base/error.ts'
import { parseFixedData } from '../../base/hex.ts'
import type { AccountKey } from '../../evm/chain-types/account-key.ts'
import { decryptKey, encryptKey, keystoreAddress, type ScryptCost } from './keystore.ts'

/** Valid as file names on every system, and never taken for flags. Geth's own `UTC--...` names match. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

const ADDRESS = /^0x[0-9a-fA-F]{40}$/

const SUFFIX = '.json'

/** The public part of a key in the keyring. */
export interface KeyEntry {
  readonly name: string
  /** 20 bytes. */
  readonly address: Uint8Array
  readonly path: string
}

/**
 * A folder of keystore files named `<name>.json`. Geth and Foundry can read the folder, and their keystore files work
 * here as keys with the name of the file.
 */
export class Keyring {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Returns the keys sorted by name, and the files that are not keystores. */
  async list(): Promise<{
    readonly keys: readonly KeyEntry[]
    readonly unreadable: readonly { readonly path: string; readonly problem: string }[]
  }> {
    const keys: KeyEntry[] = []
    const unreadable: { path: string; problem: string }[] = []
    for (const file of (await this.#files()).sort()) {
      const path = join(this.#folder, file)
      try {
        const address = keystoreAddress(await readFile(path, 'utf8'))
        keys.push({ name: nameOf(file), address, path })
      } catch (error) {
        unreadable.push({ path, problem: messageOf(error) })
      }
    }
    return { keys, unreadable }
  }

  async #files(): Promise<string[]> {
    try {
      const entries = await readdir(this.#folder, { withFileTypes: true })
      return entries
        .filter((entry) => entry.isFile() && NAME.test(entry.name))
        .map(({ name }) => name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }

  /** Returns the key with a name or an address. @throws NOT_FOUND */
  async find(nameOrAddress: string): Promise<KeyEntry> {
    const { keys } = await this.list()
    const address = ADDRESS.test(nameOrAddress) ? parseFixedData(nameOrAddress, 20) : undefined
    const found = keys.find((key) =>
      address === undefined ? key.name === nameOrAddress : equalBytes(key.address, address),
    )
    if (found !== undefined) return found
    throw new LockstepError('NOT_FOUND', `${this.#folder} has no key ${nameOrAddress}`, {
      hint: 'list the keys with `lockstep keys list`, or make one with `lockstep keys add <name>`',
    })
  }

  /** Returns the decrypted key. @throws NOT_FOUND, KEYSTORE_INVALID, PASSPHRASE_WRONG */
  async unlock({ path }: KeyEntry, passphrase: string): Promise<AccountKey> {
    return decryptKey(await readFile(path, 'utf8'), passphrase)
  }

  /** Throws unless the name is valid and free. @throws INVALID_ARGUMENT */
  async requireFree(name: string): Promise<void> {
    if (!NAME.test(name) || name.endsWith(SUFFIX)) {
      throw new LockstepError('INVALID_ARGUMENT', `"${name}" is not a valid key name`, {
        hint: 'use letters, digits, ".", "_" and "-", the first a letter or a digit, without .json at the end',
      })
    }
    const taken = (await this.#files()).some((file) => nameOf(file) === name)
    if (taken) throw this.#taken(name)
  }

  /** Stores a key under a free name. @throws INVALID_ARGUMENT */
  async add(
    name: string,
    key: AccountKey,
    passphrase: string,
    cost: ScryptCost,
  ): Promise<KeyEntry> {
    await this.requireFree(name)
    const text = encryptKey(key, passphrase, cost)
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const path = join(this.#folder, name + SUFFIX)
    await writeNew(path, text).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? this.#taken(name) : error
    })
    return { name, address: key.address, path }
  }

  async delete({ path }: KeyEntry): Promise<void> {
    await rm(path)
  }

  #taken(name: string): LockstepError {
    return new LockstepError('INVALID_ARGUMENT', `${this.#folder} has a key ${name} already`, {
      hint: 'choose another name, or remove the key with `lockstep keys delete <name>`',
    })
  }
}

function nameOf(file: string): string {
  return file.endsWith(SUFFIX) ? file.slice(0, -SUFFIX.length) : file
}

/** Creates a file with mode 0600 and syncs it. Fails if the file exists; a failed write leaves no file. */
export async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}
