import { LockstepError } from '../../../base/error.ts'
import type { DecidedBlock } from '../../../chain/consensus/embedded/block-store.ts'
import { appHashAfter } from './app-hash.ts'
import type { RouteArguments } from './arguments.ts'
import { blockResult } from './block-result.ts'
import type { ConsensusRpcContext } from './context.ts'
import { resolveHeight, resolvePage, resolveRange } from './height.ts'
import { blockIdJson, cometValidatorJson, commitJson, formatBytes, headerJson } from './json.ts'
import { executedJson, executedTransactions } from './transaction-result.ts'

/** CometBFT's defaults: the age in blocks and nanoseconds at which evidence expires. */
const EVIDENCE_PARAMS = {
  max_age_num_blocks: '100000',
  max_age_duration: '172800000000000',
  max_bytes: '1048576',
}

function decidedAt(context: ConsensusRpcContext, args: RouteArguments): DecidedBlock | undefined {
  const height = resolveHeight(context, args.integer('height'), context.engine.height)
  return context.blockStore.decided(height)
}

function decidedBy(context: ConsensusRpcContext, hash: Uint8Array): DecidedBlock | undefined {
  const height = context.blockStore.heightOf(hash)
  if (height === undefined || height > context.engine.height) return undefined
  return context.blockStore.decided(height)
}

function headerResult(decided: DecidedBlock | undefined): object {
  return { header: decided === undefined ? null : headerJson(decided.block.header) }
}

/** Also accepts the next height, whose validator set and parameters are already known. */
function heightWithNext(context: ConsensusRpcContext, args: RouteArguments): number {
  return resolveHeight(context, args.integer('height'), context.engine.height + 1)
}

export function validators(context: ConsensusRpcContext, args: RouteArguments): object {
  const height = heightWithNext(context, args)
  const all = context.chain.validators
  const [start, end] = resolvePage(args.integer('page'), args.integer('per_page'), all.length)
  const page = all.slice(start, end).map(cometValidatorJson)
  return {
    block_height: String(height),
    validators: page,
    count: String(page.length),
    total: String(all.length),
  }
}

export function consensusParams(context: ConsensusRpcContext, args: RouteArguments): object {
  const { application, chain } = context
  return {
    block_height: String(heightWithNext(context, args)),
    consensus_params: {
      block: { max_bytes: String(chain.maxBlockBytes), max_gas: String(chain.maxGas) },
      evidence: EVIDENCE_PARAMS,
      validator: { pub_key_types: ['ed25519'] },
      version: { app: String(application.info().appVersion) },
      abci: { vote_extensions_enable_height: '0' },
    },
  }
}

export function blockchain(context: ConsensusRpcContext, args: RouteArguments): object {
  const [low, high] = resolveRange(context, args.integer('minHeight'), args.integer('maxHeight'))
  const metas: object[] = []
  for (let height = high; height >= low; height--) {
    const decided = context.blockStore.decided(height)
    if (decided === undefined) continue
    metas.push({
      block_id: blockIdJson(decided.blockId),
      block_size: String(decided.encoded.length),
      header: headerJson(decided.block.header),
      num_txs: String(decided.block.transactions.length),
    })
  }
  return { last_height: String(context.engine.height), block_metas: metas }
}

export function commit(context: ConsensusRpcContext, args: RouteArguments): object {
  const decided = decidedAt(context, args)
  if (decided === undefined)
    return { signed_header: { header: null, commit: null }, canonical: false }
  const { header } = decided.block
  return {
    signed_header: { header: headerJson(header), commit: commitJson(decided.commit) },
    // The next block repeats the commit, which makes it part of the chain.
    canonical: header.height < context.engine.height,
  }
}

export async function blockResults(
  context: ConsensusRpcContext,
  args: RouteArguments,
): Promise<object> {
  const height = resolveHeight(context, args.integer('height'), context.engine.height)
  const results = executedTransactions(context, height).map((each) => executedJson(each))
  const appHash = await appHashAfter(context, height)
  if (appHash === undefined) {
    throw new LockstepError('NOT_FOUND', `could not find results for height #${height}`)
  }
  return {
    height: String(height),
    txs_results: results,
    finalize_block_events: [],
    validator_updates: [],
    consensus_param_updates: null,
    app_hash: formatBytes(appHash),
  }
}

export async function abciInfo(context: ConsensusRpcContext): Promise<object> {
  const info = context.application.info()
  return {
    response: {
      data: info.data,
      version: info.version,
      app_version: String(info.appVersion),
      last_block_height: String(info.lastBlockHeight),
      last_block_app_hash: formatBytes(await info.lastBlockAppHash),
    },
  }
}

/** Handlers of /block and /header, and of their variants by hash. */
export function block(context: ConsensusRpcContext, args: RouteArguments): object {
  return blockResult(decidedAt(context, args))
}

export function blockByHash(context: ConsensusRpcContext, args: RouteArguments): object {
  return blockResult(decidedBy(context, args.hash('hash')))
}

export function header(context: ConsensusRpcContext, args: RouteArguments): object {
  return headerResult(decidedAt(context, args))
}

export function headerByHash(context: ConsensusRpcContext, args: RouteArguments): object {
  return headerResult(decidedBy(context, args.hash('hash')))
}
