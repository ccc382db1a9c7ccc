import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { LockstepError, messageOf } from '../../base/error.ts'
import { writeFileAtomic } from '../../chain/consensus/validator/atomic-file.ts'
import type { GenesisRecord } from '../../evm/chain-types/genesis-record.ts'
import type { Home } from '../home/home.ts'
import type { GenesisKeeper } from './verify-genesis.ts'

/** Returns the path of a home's genesis record. */
export function genesisRecordOf({ comet }: Home['data']): string {
  return join(comet, 'genesis-record.json')
}

/** Stores the genesis record of a chain in a file, since CometBFT's databases cannot hold it. */
export class GenesisFileKeeper implements GenesisKeeper {
  readonly dir: string
  readonly #path: string

  constructor(path: string) {
    this.#path = path
    this.dir = dirname(path)
  }

  /** @throws STORE_CORRUPTED */
  genesis(): GenesisRecord | undefined {
    let text: string
    try {
      text = readFileSync(this.#path, 'utf8')
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw thrown
    }
    try {
      return JSON.parse(text)
    } catch (cause) {
      throw new LockstepError(
        'STORE_CORRUPTED',
        `Database is corrupted: ${this.#path}: ${messageOf(cause)}`,
        { cause },
      )
    }
  }

  async saveGenesis(record: GenesisRecord): Promise<void> {
    await writeFileAtomic(this.#path, `${JSON.stringify(record)}\n`)
  }
}
