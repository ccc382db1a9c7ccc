import type { z } from 'zod'
import { LockstepError } from '../../base/error.ts'
import { RpcConnection } from '../../client/chain-client/rpc-connection.ts'
import type { Action, ActionProvider, Outcome } from '../action.ts'
import type { ActionContext } from '../action-context.ts'
import { ActionError } from '../action-error.ts'
import type { AgentWallet } from '../agent-wallet.ts'
import { CAPABILITIES, missingNeeds, type Need } from '../capability.ts'
import { Chain, type NodeConnection } from '../chain.ts'
import { IdempotencyKeys } from '../idempotency.ts'
import { describeNetwork, type Network, type NetworkConfiguration } from '../network.ts'
import { PaymentBudget } from '../payment-budget.ts'
import { plainText } from '../plain-text.ts'
import type { PaymentSettings, PriceFeedSettings } from '../settings.ts'
import { PROVIDERS } from './providers.ts'

export interface ToolkitOptions {
  readonly network: NetworkConfiguration
  /** Creates the wallet for this chain. If absent, only read-only actions are offered. */
  readonly wallet?:
    | ((chain: Chain, network: Network) => AgentWallet | Promise<AgentWallet>)
    | undefined
  readonly payments?: PaymentSettings | undefined
  readonly priceFeed?: PriceFeedSettings | undefined
  /** Replaces the providers of this package. */
  readonly providers?: readonly ActionProvider[] | undefined
  /** Fails if something is unavailable, instead of leaving it out. */
  readonly strict?: boolean | undefined
  /** Called once per unavailable action or provider, with one sentence. `unavailable` has the same as data. */
  readonly warn?: ((text: string) => void) | undefined
  /** Seconds that a call waits for inclusion of its transaction. Default: 20. */
  readonly waitSeconds?: number | undefined
  /** Replaces HTTP to the RPC URL of the network. */
  readonly node?: NodeConnection | undefined
}

/** A provider or an action that is left out. */
export interface Unavailable {
  readonly kind: 'provider' | 'action'
  readonly name: string
  readonly needs: readonly Need[]
  readonly text: string
}

/** The actions available on a network with a wallet. */
export class Toolkit {
  readonly network: Network
  readonly wallet: AgentWallet | undefined
  readonly actions: readonly Action[]
  readonly unavailable: readonly Unavailable[]
  readonly #context: ActionContext
  readonly #keys = new IdempotencyKeys()

  constructor(
    context: ActionContext,
    actions: readonly Action[],
    unavailable: readonly Unavailable[],
  ) {
    this.network = context.network
    this.wallet = context.wallet
    this.actions = actions
    this.unavailable = unavailable
    this.#context = context
  }

  /**
   * Executes an action.
   * @param args as a model has written them: validated against the action's shape
   * @throws ActionError
   */
  async call(
    name: string,
    args: unknown,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Outcome<Readonly<Record<string, unknown>>>> {
    const action = this.actions.find((one) => one.name === name)
    if (action === undefined) throw this.#unknown(name)
    const parsed = action.input.safeParse(args ?? {})
    if (!parsed.success) throw invalid(parsed.error)
    const { idempotencyKey } = parsed.data as { readonly idempotencyKey?: string }
    const said = JSON.stringify([name, parsed.data], (_, value) =>
      typeof value === 'bigint' ? `${value}` : value,
    )
    try {
      return await this.#keys.once(idempotencyKey, said, async () => {
        const { text, data } = await action.invoke(parsed.data, this.#context, signal)
        return { text, data: action.output.parse(data) }
      })
    } catch (error) {
      throw error instanceof ActionError ? error : unexpected(action, signal, error)
    }
  }

  #unknown(name: string): ActionError {
    const shown = plainText(name, 60)
    const left = this.unavailable.find((one) => one.name === name)
    if (left !== undefined) return new ActionError('UNAVAILABLE', left.text)
    return new ActionError('UNKNOWN_ACTION', `there is no action "${shown}"`, {
      next: `choose one of ${this.actions.map((one) => one.name).join(', ')}`,
    })
  }
}

/** An unexpected error may have occurred after something was sent. */
function unexpected({ name, readOnly }: Action, { aborted }: AbortSignal, cause: unknown) {
  const text = aborted ? `${name} was aborted` : `${name} had an internal error`
  return new ActionError(readOnly ? 'INTERNAL' : 'OUTCOME_UNKNOWN', text, { cause })
}

function invalid(error: z.ZodError): ActionError {
  const issues = error.issues.slice(0, 5).map(({ path, message }) => {
    const where = path.length === 0 ? '' : `${plainText(path.join('.'), 60)}: `
    return `${where}${plainText(message, 160)}`
  })
  return new ActionError('INVALID_ARGUMENT', issues.join('; '))
}

function unavailable(
  kind: Unavailable['kind'],
  name: string,
  needs: readonly Need[],
  { caip2 }: Network,
): Unavailable {
  const rows = needs.map((need) => CAPABILITIES[need])
  const lacking = rows.map(({ text }) => text).join(' and ')
  const remedy = rows.map((row) => row.remedy).join('; ')
  const text = `the ${kind} ${name} is not available on ${caip2}: it needs ${lacking} (${remedy})`
  return { kind, name, needs, text }
}

/** Returns the contracts of the network that have code. Those without are treated as absent. */
async function presentContracts(
  network: Network,
  chain: Chain,
  warn: (text: string) => void,
): Promise<Network> {
  const found = await Promise.all(
    Object.entries(network.contracts).map(async ([name, address]) => {
      if (address === undefined) return []
      if (await chain.hasCode(address)) return [[name, address] as const]
      warn(
        `${network.caip2} has no contract at ${address}, which the network configures as ${name}`,
      )
      return []
    }),
  )
  return { ...network, contracts: Object.fromEntries(found.flat()) }
}

/**
 * Opens the toolkit for a network. Leaves out what has unmet needs, with a warning.
 * @throws CONFIG_INVALID if the node is on another chain, and in strict mode if something is left out;
 * NODE_UNREACHABLE
 */
export async function openToolkit(options: ToolkitOptions): Promise<Toolkit> {
  const { strict = false, warn = () => undefined, payments } = options
  const described = describeNetwork(options.network)
  const chain = new Chain(options.node ?? new RpcConnection(described.rpcUrl))
  const network = await connect(described, chain, warn)
  const context: ActionContext = {
    network,
    chain,
    wallet: await options.wallet?.(chain, network),
    payments: payments && new PaymentBudget(payments),
    priceFeed: options.priceFeed,
    waitSeconds: options.waitSeconds ?? 20,
  }
  const left: Unavailable[] = []
  const actions = (options.providers ?? PROVIDERS).flatMap((provider) => {
    const missing = missingNeeds(provider.needs, context)
    if (missing.length > 0) {
      left.push(unavailable('provider', provider.name, missing, network))
      return []
    }
    return provider.actions.filter((action) => {
      const lacking = missingNeeds(action.needs ?? [], context)
      if (lacking.length > 0) left.push(unavailable('action', action.name, lacking, network))
      return lacking.length === 0
    })
  })
  for (const { text } of left) warn(text)
  if (strict && left.length > 0) {
    throw new LockstepError('CONFIG_INVALID', left.map(({ text }) => text).join('\n'), {
      hint: 'configure what is missing, or leave strict mode',
      data: { unavailable: left },
    })
  }
  return new Toolkit(context, actions, left)
}

async function connect(
  described: Network,
  chain: Chain,
  warn: (text: string) => void,
): Promise<Network> {
  try {
    const chainId = await chain.quantity('eth_chainId')
    if (chainId !== BigInt(described.chainId)) {
      const text = `the node at ${new URL(described.rpcUrl).host} is on chain ${chainId}, but the network is chain ${described.chainId}`
      throw new LockstepError('CONFIG_INVALID', text, {
        hint: 'correct the URL of the node, or the chainId of the network',
      })
    }
    return await presentContracts(described, chain, warn)
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    const { cause, message, next } = error
    if (cause instanceof LockstepError) throw cause
    throw new LockstepError('NODE_UNREACHABLE', message, { hint: next, cause: error })
  }
}
