import { LockstepError } from '../base/error.ts'
import { createAddress } from '../chain-types/create-address.ts'
import { atLeast } from '../chain-types/revision.ts'
import type { Keccak256 } from '../chain-types/signature-recovery.ts'
import type { AccessListEntry, Authorization, TransactionType } from '../chain-types/transaction.ts'
import type { BlockEnv, TransactionInput } from '../engine/message.ts'
import type { Executed } from '../engine/outcome.ts'
import { type Account, decodeAccount } from '../state/account.ts'
import { type AccessListOutcome, settleAccessList } from './access-list.ts'
import type { BlockEngine } from './block.ts'
import { type CallSite, refusal, runCall } from './call-site.ts'
import type { ChainRules } from './chain-rules.ts'
import type { EnginePool } from './engine-pool.ts'
import { type GasEstimate, searchGas } from './gas-search.ts'
import { type History, knownHeader } from './history.ts'
import { type AccountOverride, overlayView } from './overlay-view.ts'

/** A call, decoded. What is undefined the caller left open. */
export interface CallArguments {
  readonly from: Uint8Array
  readonly to: Uint8Array | undefined
  readonly gas: bigint | undefined
  /** For a legacy gas price both caps hold it. */
  readonly maxFeePerGas: bigint | undefined
  readonly maxPriorityFeePerGas: bigint | undefined
  readonly value: bigint
  readonly data: Uint8Array
  readonly nonce: bigint | undefined
  readonly accessList: readonly AccessListEntry[] | undefined
  readonly authorizations: readonly Authorization[] | undefined
  readonly maxFeePerBlobGas: bigint | undefined
  readonly blobHashes: readonly Uint8Array[] | undefined
}

/** What the block pretends to be. */
export interface BlockOverride {
  readonly number: bigint | undefined
  readonly timestamp: bigint | undefined
  readonly gasLimit: bigint | undefined
  readonly coinbase: Uint8Array | undefined
  readonly prevRandao: Uint8Array | undefined
  readonly baseFee: bigint | undefined
  readonly blobBaseFee: bigint | undefined
}

/** A call that never enters a block, run on the state after block `height`. */
export interface Simulation {
  readonly request: CallArguments
  readonly height: number
  readonly stateOverrides: readonly AccountOverride[]
  readonly blockOverrides: BlockOverride | undefined
  /** Aborted when the caller is gone or the time is up; the run then rejects. */
  readonly signal: AbortSignal
}

export interface SimulatorOptions {
  readonly history: History
  readonly rules: ChainRules
  readonly keccak256: Keccak256
  readonly engines: EnginePool<BlockEngine>
  /** Gas that a call gets where it names none, and at most. */
  readonly gasCap: bigint
}

/** Gas of one transaction from Osaka on (EIP-7825). */
const MAX_TRANSACTION_GAS = 16_777_216n

const smaller = (a: bigint, b: bigint) => (a > b ? b : a)

/** eth_call, eth_estimateGas and eth_createAccessList, with geth's rules and texts. */
export class Simulator {
  readonly #options: SimulatorOptions

  constructor(options: SimulatorOptions) {
    this.#options = options
  }

  /**
   * Runs a call.
   * @throws TRANSACTION_REJECTED with geth's text where the protocol refuses it, REQUEST_TIMEOUT,
   * SERVER_BUSY, and what the history throws for the height.
   */
  call(simulation: Simulation): Promise<Executed> {
    return this.#with(simulation, async (site) => {
      const outcome = await runCall(site, site.input.gas)
      if (outcome.kind === 'executed') return outcome
      throw refusal(site, outcome.code, `err: `, ` (supplied gas ${site.input.gas})`)
    })
  }

  /** Least gas with which a call succeeds, at most 1.5 % too much. Throws as `call`. */
  estimateGas(simulation: Simulation): Promise<GasEstimate> {
    return this.#with(simulation, searchGas)
  }

  /** The access list that a call makes, run with that list. Throws as `call`. */
  createAccessList(simulation: Simulation): Promise<AccessListOutcome> {
    const { keccak256 } = this.#options
    return this.#with(simulation, (site) => {
      const { from, to, nonce } = site.input
      return settleAccessList(site, to ?? createAddress(from, nonce, keccak256))
    })
  }

  #with<Result>(
    simulation: Simulation,
    work: (site: CallSite) => Promise<Result>,
  ): Promise<Result> {
    const { history, rules, keccak256, engines, gasCap } = this.#options
    const { request, stateOverrides } = simulation
    const header = knownHeader(history, simulation.height)
    const base = history.view(simulation.height)
    const view = stateOverrides.length === 0 ? base : overlayView(base, stateOverrides, keccak256)
    const env = overriddenEnv(rules.envOf(header), simulation.blockOverrides)
    const sender = decodeAccount(view.account(request.from))
    const maxGas = smaller(
      smaller(gasCap, env.gasLimit),
      atLeast(env.revision, 'Osaka') ? MAX_TRANSACTION_GAS : gasCap,
    )
    const input = callInput(request, sender, smaller(request.gas ?? maxGas, maxGas))
    const priced = input.maxFeePerGas > 0n || input.maxPriorityFeePerGas > 0n
    // A call that offers nothing sees a base fee of nothing, so that GASPRICE is not below it.
    const seen = priced ? env : { ...env, baseFee: 0n }
    return engines.use((engine) => {
      engine.beginBlock(seen)
      const { signal } = simulation
      return work({ engine, view, env: seen, input, sender, maxGas, priced, signal })
    })
  }
}

function overriddenEnv(env: BlockEnv, override: BlockOverride | undefined): BlockEnv {
  if (override === undefined) return env
  return {
    ...env,
    number: readNumber(override.number, env.number, 'number'),
    timestamp: readNumber(override.timestamp, Number(env.timestamp), 'time'),
    gasLimit: override.gasLimit ?? env.gasLimit,
    coinbase: override.coinbase ?? env.coinbase,
    prevRandao: override.prevRandao ?? env.prevRandao,
    baseFee: override.baseFee ?? env.baseFee,
    blobBaseFee: override.blobBaseFee ?? env.blobBaseFee,
  }
}

function readNumber(value: bigint | undefined, fallback: number, name: string): number {
  if (value === undefined) return fallback
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new LockstepError('INVALID_ARGUMENT', `block override ${name} ${value} is out of range`)
  }
  return Number(value)
}

function typeOf(request: CallArguments): TransactionType {
  if (request.authorizations !== undefined) return 4
  if (request.blobHashes !== undefined) return 3
  if (request.maxFeePerGas !== request.maxPriorityFeePerGas) return 2
  return request.accessList === undefined ? 0 : 1
}

function callInput(request: CallArguments, sender: Account, gas: bigint): TransactionInput {
  return {
    type: typeOf(request),
    from: request.from,
    to: request.to,
    nonce: request.nonce ?? sender.nonce,
    gas,
    maxFeePerGas: request.maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: request.maxPriorityFeePerGas ?? 0n,
    value: request.value,
    data: request.data,
    accessList: request.accessList ?? [],
    authorizations: request.authorizations ?? [],
    maxFeePerBlobGas: request.maxFeePerBlobGas ?? 0n,
    blobHashes: request.blobHashes ?? [],
  }
}
