import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import type { Config } from '../../base/config/schema.ts'
import { LockstepError, messageOf } from '../../base/error.ts'
import type { Logger } from '../../base/log/logger.ts'
import { EthereumRules } from '../../evm/execute/ethereum/ethereum-rules.ts'
import { decodeEthereumGenesis, isEthereumGenesis } from '../../evm/execute/ethereum/genesis.ts'
import { encodeRawBlock } from '../../evm/execute/raw-block.ts'
import { writeFully } from '../../storage/table/file-bytes.ts'
import { storeError } from '../../storage/table/store-error.ts'
import { Disposables } from '../disposables.ts'
import type { Home } from '../home/home.ts'
import { openHomeStorage } from '../open/open-stores.ts'

export interface ChainExportOptions {
  readonly home: Home
  readonly config: Config
  readonly logger: Logger
  /** File to write. */
  readonly file: string
  readonly from: number
  /** Undefined for the latest block. */
  readonly to: number | undefined
  /** Called after each block and awaited; an error it throws aborts the export. */
  readonly onBlock: (exported: number, of: number) => Promise<void> | undefined
}

export interface ExportedRange {
  readonly from: number
  readonly to: number
}

/** @throws UNSUPPORTED for the home of a Lockstep chain, HOME_MISSING */
function importedRules({ root, config }: Home): EthereumRules {
  if (!existsSync(config.genesis)) {
    throw new LockstepError('HOME_MISSING', `${root} has no chain`)
  }
  const text = readFileSync(config.genesis, 'utf8')
  if (isEthereumGenesis(text)) return new EthereumRules(decodeEthereumGenesis(text).network)
  throw new LockstepError(
    'UNSUPPORTED',
    `${root} has a chain of its own, whose blocks are no blocks of Ethereum: only an imported chain is exported`,
    { hint: 'use `lockstep snapshot export` and `lockstep snapshot dump`' },
  )
}

/**
 * Writes blocks of an imported chain to a new file, as `geth export` does. After an error no file is left.
 * @throws UNSUPPORTED; INVALID_ARGUMENT if the file exists or the range is not stored; STORE_FULL
 */
export async function exportChain(options: ChainExportOptions): Promise<ExportedRange> {
  const { home, config, logger, file, from, onBlock } = options
  const rules = importedRules(home)
  if (existsSync(file)) {
    throw new LockstepError('INVALID_ARGUMENT', `${file} exists`, { hint: 'name another file' })
  }
  const closers = new Disposables()
  try {
    const { chain } = await openHomeStorage(home, config, logger, closers)
    const { latest, earliest } = chain
    const { to = latest } = options
    if (from > to || to > latest || (from > 0 && from < earliest)) {
      throw new LockstepError(
        'INVALID_ARGUMENT',
        `blocks ${from} to ${to} cannot be exported: the home has blocks ${earliest} to ${latest}`,
      )
    }
    const partial = `${file}.partial`
    let output: number
    try {
      output = openSync(partial, 'w')
    } catch (cause) {
      throw new LockstepError('INVALID_ARGUMENT', `cannot write ${file}: ${messageOf(cause)}`, {
        cause,
      })
    }
    try {
      for (let height = from; height <= to; height++) {
        const block = chain.block(height)
        if (block === undefined) {
          throw new LockstepError('STATE_PRUNED', `block ${height} is not retained`, {
            data: { requested: height, earliest },
          })
        }
        writeFully(output, encodeRawBlock(rules, block))
        await onBlock(height - from + 1, to - from + 1)
      }
      fsyncSync(output)
      closeSync(output)
      renameSync(partial, file)
    } catch (thrown) {
      rmSync(partial, { force: true })
      throw storeError(file, thrown)
    }
    return { from, to }
  } finally {
    await closers.close()
  }
}
