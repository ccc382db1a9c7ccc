import { decodeErrorResult, encodeDeployData, getAddress, parseAbi } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { DEV_ACCOUNTS } from '../../../host/base/dev-accounts.ts'
import { formatData, type Hex, parseData } from '../../../host/base/hex.ts'
import type { Log } from '../../../host/evm/chain-types/log.ts'
import { nobleRecovery } from '../../../host/evm/chain-types/noble-recovery.ts'
import type { Engine } from '../../../host/evm/engine/engine.ts'
import type { BlockEngine } from '../../../host/evm/execute/block-engine.ts'
import { EnginePool } from '../../../host/evm/execute/engine-pool.ts'
import { lockstepRules } from '../../../host/evm/execute/lockstep/lockstep-rules.ts'
import { Simulator } from '../../../host/evm/execute/simulate/simulator.ts'
import { MemoryChain } from '../chain/memory-chain.ts'
import { OPEN_CALL } from '../chain/open-call.ts'
import type { Contract } from '../contracts/solidity.ts'
import { signDynamicFee } from '../node/dev-wallet.ts'

const REASON = parseAbi(['error Error(string reason)'])

/** The accounts that genesis funds. */
export const HOLDERS: readonly PrivateKeyAccount[] = DEV_ACCOUNTS.map(({ privateKey }) =>
  privateKeyToAccount(privateKey),
)

/** The output of a call, or the reason of its revert. */
export type Answer = { readonly output: Hex } | { readonly reason: string }

export interface Mined {
  readonly status: 0 | 1
  readonly logs: readonly Log[]
  readonly contract: Hex | undefined
  /** Block time in seconds. */
  readonly time: bigint
}

/** A development chain in memory, with one block for each transaction. */
export class TokenChain {
  readonly #chain: MemoryChain
  readonly #simulator: Simulator
  readonly #nonces = new Map<Hex, number>()

  static async open(engine: Engine): Promise<TokenChain> {
    const chain = await MemoryChain.open(engine)
    await chain.initialise()
    await chain.decide([])
    return new TokenChain(chain, engine)
  }

  private constructor(chain: MemoryChain, engine: Engine) {
    this.#chain = chain
    this.#simulator = new Simulator({
      history: chain.history,
      rules: lockstepRules(chain.genesis.params, chain.storage.state),
      keccak256: nobleRecovery.keccak256,
      engines: new EnginePool<BlockEngine>(async () => engine, 1, 100),
      gasCap: 0n,
    })
  }

  /** Time of the latest block in seconds. */
  get time(): bigint {
    return BigInt(this.#chain.storage.chain.block(this.#chain.height)?.header.timestamp ?? 0)
  }

  /** Runs a call on the latest state. */
  async call(to: Hex, data: Hex, from: Hex = to): Promise<Answer> {
    const outcome = await this.#simulator.call({
      request: {
        ...OPEN_CALL,
        from: parseData(from),
        to: parseData(to),
        data: parseData(data),
      },
      height: this.#chain.height,
      stateOverrides: [],
      blockOverrides: undefined,
      signal: new AbortController().signal,
      turn: () => undefined,
    })
    const output = formatData(outcome.output)
    if (outcome.success) return { output }
    if (output === '0x') return { reason: '' }
    return { reason: decodeErrorResult({ abi: REASON, data: output }).args[0] }
  }

  /** Sends a transaction and makes its block. */
  async send(
    from: PrivateKeyAccount,
    to: Hex | undefined,
    data: Hex,
    delegation?: { readonly to: Hex },
  ): Promise<Mined> {
    const nonce = this.#nonces.get(from.address) ?? 0
    // The sender's own authorization also uses a nonce, after the transaction (EIP-7702).
    const spent = delegation === undefined ? 1 : 2
    this.#nonces.set(from.address, nonce + spent)
    const fields = { nonce, gas: 1_000_000n, maxPriorityFeePerGas: 1n, to, data }
    const raw =
      delegation === undefined
        ? await signDynamicFee(from, fields)
        : await from.signTransaction({
            ...fields,
            chainId: 31337,
            maxFeePerGas: 10n ** 11n,
            type: 'eip7702',
            authorizationList: [
              await from.signAuthorization({
                chainId: 31337,
                nonce: nonce + 1,
                contractAddress: delegation.to,
              }),
            ],
          })
    const { receipts } = await this.#chain.decide([parseData(raw)])
    const [receipt] = receipts
    if (receipt === undefined) throw new Error('the block has no receipt')
    const { status, logs, contractAddress } = receipt
    const contract = contractAddress && formatData(contractAddress)
    return { status, logs, contract, time: this.time }
  }

  /** Deploys a contract and returns its address. */
  async deploy(
    from: PrivateKeyAccount,
    { abi, bytecode }: Contract,
    ...args: unknown[]
  ): Promise<Hex> {
    const { contract } = await this.send(from, undefined, encodeDeployData({ abi, bytecode, args }))
    if (contract === undefined) throw new Error('the contract was not created')
    return getAddress(contract)
  }
}
