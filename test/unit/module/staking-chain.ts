import { keccak_256 } from '@noble/hashes/sha3.js'
import { encodeDeployData } from 'viem'
import { bigintToBytes } from '../../../host/base/bytes.ts'
import { formatData, type Hex, parseData } from '../../../host/base/hex.ts'
import type { CommitVote } from '../../../host/chain/consensus/application.ts'
import { PRECOMPILE_CODE } from '../../../host/evm/chain-types/generated/chain-precompile.ts'
import type { GenesisDowntime, GenesisValidator } from '../../../host/evm/chain-types/genesis.ts'
import { presetGenesis } from '../../../host/evm/chain-types/genesis-presets.ts'
import type { Engine } from '../../../host/evm/engine/engine.ts'
import type { Executed } from '../../../host/evm/engine/outcome.ts'
import { BEGIN_BLOCK } from '../../../host/evm/execute/lockstep/begin-block.ts'
import type { ReadRow } from '../../../host/evm/modules/row-text.ts'
import { downtimeWrites } from '../../../host/evm/modules/staking-downtime.ts'
import { evidenceRows } from '../../../host/evm/modules/staking-evidence.ts'
import { stakingAccount } from '../../../host/evm/modules/staking-genesis.ts'
import { STAKING_ADDRESS } from '../../../host/evm/modules/staking-rows.ts'
import { decodeAccount } from '../../../host/evm/state/account.ts'
import { answerFrom } from '../../../host/evm/state/answer.ts'
import { TestState } from '../../support/chain/test-state.ts'
import type { Contract } from '../../support/contracts/solidity.ts'
import { BLOCK, engineInBlock, executed, transaction } from '../../support/engine/engine-fixture.ts'
import { MODEL_UNBONDING } from './staking-model.ts'

const PRECOMPILE = Uint8Array.of(PRECOMPILE_CODE)

/** Its rows contain the supply. */
const BANK = bigintToBytes(0x1001n, 20)
const SECOND = 1_000_000_000n

export interface StakingOffence {
  readonly validatorAddress: Uint8Array
  readonly power: number
  readonly height: number
  readonly time: number
}

/** A chain of blocks directly on the engine, with staking as in genesis. Fees are zero. */
export class StakingChain {
  /** Current state; set only between blocks. */
  state = new TestState(keccak_256)
  /** State before the block, which the engine reads and to which its diff applies. */
  #before = this.state
  readonly #engine: Engine
  height = 1
  time = 1_700_000_000

  private constructor(engine: Engine) {
    this.#engine = engine
  }

  static async open(
    validators: readonly GenesisValidator[] = [],
    unbondingSeconds = Number(MODEL_UNBONDING),
    downtime?: GenesisDowntime,
  ): Promise<StakingChain> {
    const chain = new StakingChain(await engineInBlock())
    const genesis = {
      ...presetGenesis('1329', { time: 0n, validators }),
      unbondingSeconds,
      ...(downtime !== undefined && { downtime }),
    }
    const { address, balance, storage } = stakingAccount(genesis)
    chain.state.setAccount(address, 0n, balance, PRECOMPILE)
    chain.state.setAccount(BANK, 0n, 0n, PRECOMPILE)
    for (const { slot, value } of storage) chain.state.setStorage(address, slot, value)
    chain.beginBlock(0)
    return chain
  }

  /** Sets the initial balance of an account. */
  fund(account: Hex, balance: bigint): void {
    for (const state of [this.#before, this.state]) {
      state.setAccount(parseData(account), 0n, balance, new Uint8Array(0))
    }
  }

  balance(account: Hex): bigint {
    return decodeAccount(this.state.account(parseData(account))).balance
  }

  /** Ends the block with evidence of offences, whose times are in seconds. */
  endBlock(offences: readonly StakingOffence[]): void {
    const proven = offences.map((offence) => ({ ...offence, time: BigInt(offence.time) * SECOND }))
    for (const { key, value } of evidenceRows(proven, BigInt(this.time) * SECOND, this.row)) {
      this.state.setStorage(STAKING_ADDRESS, key, value)
    }
  }

  /** Ends the block with the votes of its last commit. */
  countVotes(votes: readonly CommitVote[]): void {
    const time = BigInt(this.time) * SECOND
    for (const { key, value } of downtimeWrites(votes, this.height, time, this.row)) {
      this.state.setStorage(STAKING_ADDRESS, key, value ?? new Uint8Array(32))
    }
  }

  readonly row = (key: Uint8Array): Uint8Array | undefined =>
    this.state.storage(STAKING_ADDRESS, key)

  readonly readRow: ReadRow = async (key) => this.row(key) ?? new Uint8Array(32)

  /** Begins the next block after this many seconds, with the protocol's calls. */
  beginBlock(seconds: number): void {
    this.height++
    this.time += seconds
    this.#before = this.state
    this.#engine.beginBlock({
      ...BLOCK,
      revision: 'Prague',
      number: this.height,
      timestamp: this.time,
      baseFee: 0n,
      chainPrecompiles: true,
    })
    for (const { to, data } of BEGIN_BLOCK) {
      const outcome = answerFrom(this.#engine.systemCall(to, data), this.#before)
      if (outcome.error !== undefined) throw new Error(`the protocol's call: ${outcome.error}`)
    }
    this.#apply()
  }

  /** Executes one transaction in the block. */
  transact(from: Hex, to: Hex | undefined, value: bigint, data: Hex): Executed {
    const sender = parseData(from)
    const { nonce } = decodeAccount(this.state.account(sender))
    const input = transaction({
      from: sender,
      to: to === undefined ? undefined : parseData(to),
      nonce,
      gas: 20_000_000n,
      maxFeePerGas: 0n,
      value,
      data: parseData(data),
    })
    const outcome = executed(answerFrom(this.#engine.transact(input), this.#before))
    this.#apply()
    return outcome
  }

  deploy(from: Hex, { abi, bytecode }: Contract): Hex {
    const data = encodeDeployData({ abi, bytecode })
    const { createdAddress } = this.transact(from, undefined, 0n, data)
    if (createdAddress === undefined) throw new Error('the contract was not created')
    return formatData(createdAddress)
  }

  #apply(): void {
    this.state = this.#before.copy()
    this.state.apply(this.#engine.diff())
  }
}
