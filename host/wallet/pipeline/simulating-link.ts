import type { Hex } from '../../base/hex.ts'
import { RpcConnection } from '../../chain-client/rpc-connection.ts'
import type { RuleFinding, Simulation } from '../policy/decision.ts'
import { NOT_SIMULATED } from '../policy/field.ts'
import { readSimulation } from '../policy/simulation.ts'
import type { AgentIdentity, AgentProof } from '../protocol/agent.ts'
import type { Wallet } from '../protocol/wallet.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { Asked, FilledTransaction, SignAnswer, SignerLink } from '../signer/signer-link.ts'

/** A chain by its node. */
export interface SimulatedChain {
  /** CAIP-2. */
  readonly caip2: string
  readonly url: string
}

/** Whether the signer would decide otherwise, perhaps, if it knew what a run of the transaction does. */
function asksForSimulation(error: unknown): boolean {
  if (!(error instanceof WalletError) || error.code !== 'policy_violation') return false
  const { rules } = error.details as { rules?: readonly RuleFinding[] }
  return (rules ?? []).some(({ conditions }) =>
    conditions.some(({ problem }) => problem === NOT_SIMULATED),
  )
}

/** Simulates a transaction where rules of its wallet ask for it, and only then. */
export class SimulatingLink implements SignerLink {
  readonly #link: SignerLink
  readonly #nodes: ReadonlyMap<string, RpcConnection>

  constructor(link: SignerLink, chains: readonly SimulatedChain[]) {
    this.#link = link
    this.#nodes = new Map(chains.map(({ caip2, url }) => [caip2, new RpcConnection(url)]))
  }

  identify(agent: AgentProof): Promise<AgentIdentity> {
    return this.#link.identify(agent)
  }

  ask(asked: Asked): Promise<unknown> {
    return this.#link.ask(asked)
  }

  async sign(asked: Asked, filled?: FilledTransaction): Promise<SignAnswer> {
    try {
      return await this.#link.sign(asked, filled)
    } catch (error) {
      if (filled === undefined || !asksForSimulation(error)) throw error
      const simulation = await this.#simulate(asked, filled)
      if (simulation === undefined) throw error
      return this.#link.sign(asked, { ...filled, simulation })
    }
  }

  close(): Promise<void> {
    return this.#link.close()
  }

  async #simulate(
    asked: Asked,
    { chainId, gas }: FilledTransaction,
  ): Promise<Simulation | undefined> {
    const { params } = JSON.parse(asked.request.body) as {
      params?: { transaction?: Readonly<Record<string, unknown>> }
    }
    const transaction = params?.transaction
    const node = this.#nodes.get(`eip155:${chainId}`)
    if (transaction === undefined || node === undefined) return undefined
    const from = await this.#addressOf(asked)
    const quantity = (value: unknown) => `0x${BigInt(String(value ?? 0)).toString(16)}`
    const call = {
      from,
      to: transaction.to ?? undefined,
      value: quantity(transaction.value),
      data: transaction.data ?? '0x',
      gas: quantity(transaction.gas_limit ?? gas),
    }
    const blockStateCalls = [{ calls: [call] }]
    try {
      const simulation = { blockStateCalls, traceTransfers: true }
      return readSimulation(await node.call('eth_simulateV1', simulation, 'latest'), from)
    } catch {
      // A node that does not simulate is none that says what would happen: the decision stays.
      return undefined
    }
  }

  async #addressOf({ appId, requestId, request }: Asked): Promise<Hex> {
    const [, id = ''] = /\/wallets\/([^/?]+)\//.exec(request.path) ?? []
    const read = {
      method: 'GET',
      path: `/v1/wallets/${id}`,
      body: '',
      headers: {},
      signatures: [],
    } as const
    const wallet = (await this.#link.ask({ appId, requestId, request: read })) as Wallet
    return wallet.address.toLowerCase() as Hex
  }
}
