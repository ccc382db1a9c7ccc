import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../../host/base/config/load.ts'
import { hexDigits } from '../../../host/base/hex.ts'
import { createLogger } from '../../../host/base/log/pino-logger.ts'
import { ConsensusBlockStore } from '../../../host/chain/consensus/embedded/block-store.ts'
import { consensusChainOf } from '../../../host/chain/consensus/embedded/chain.ts'
import { blockRequest } from '../../../host/chain/consensus/embedded/proposal.ts'
import { decodeGenesis } from '../../../host/evm/chain-types/genesis-codec.ts'
import { Disposables } from '../../../host/node/disposables.ts'
import { homeAt } from '../../../host/node/home/home.ts'
import { openChain } from '../../../host/node/open/open-chain.ts'
import { openStores } from '../../../host/node/open/open-stores.ts'
import { makeHome, removeHome } from '../../support/node/daemon.ts'

export interface AppHashes {
  /** App hashes from executing every block since genesis, hex. */
  readonly recomputed: readonly string[]
  /** App hashes in the headers of a stopped node's blocks: each is the hash after the previous block. */
  readonly recorded: readonly string[]
}

/** Executes every block of a stopped node again, from genesis, in a new home. */
export async function recomputeAppHashes(source: string): Promise<AppHashes> {
  const original = homeAt(source)
  const genesis = decodeGenesis(readFileSync(original.config.genesis, 'utf8'))
  const blocks = new ConsensusBlockStore(join(original.data.directory, 'blockstore.db'))
  const home = homeAt(makeHome())
  const { config } = loadConfig({
    directory: home.config.directory,
    environment: {},
    flags: new Map(),
  })
  const logger = createLogger({ level: 'error', format: 'plain', write: () => {} })
  const closers = new Disposables()
  const recomputed: string[] = []
  const recorded: string[] = []
  try {
    const onError = (error: unknown): void => {
      throw error
    }
    const stores = await openStores(home, config, logger, closers, onError)
    const options = { home, config, genesis, stores, logger, onError }
    const { application } = await openChain(options, closers)
    const chain = consensusChainOf(genesis)
    let { appHash } = await application.initChain({
      chainId: chain.id,
      time: chain.genesisTime,
      initialHeight: chain.initialHeight,
      validators: chain.validators,
    })
    for (let height = 1; height <= blocks.height; height++) {
      const decided = blocks.decided(height)
      if (decided === undefined) throw new Error(`block ${height} is missing`)
      recomputed.push(hexDigits(appHash))
      recorded.push(hexDigits(decided.block.header.appHash))
      const request = blockRequest(decided.block, decided.blockId.hash)
      const finalized = await application.finalizeBlock({ ...request, appHash })
      await application.commit()
      appHash = await finalized.appHash
    }
  } finally {
    await closers.close()
    await blocks.close()
    removeHome(home.root)
  }
  return { recomputed, recorded }
}
