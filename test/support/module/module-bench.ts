import { keccak_256 } from '@noble/hashes/sha3.js'
import {
  type Abi,
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  parseAbi,
} from 'viem'
import { bigintToBytes } from '../../../host/base/bytes.ts'
import { formatData, parseData } from '../../../host/base/hex.ts'
import type { GenesisAccount, GenesisDenomination } from '../../../host/evm/chain-types/genesis.ts'
import type { Engine } from '../../../host/evm/engine/engine.ts'
import type { TransactionInput } from '../../../host/evm/engine/message.ts'
import type { TransactOptions } from '../../../host/evm/engine/options.ts'
import type { Executed } from '../../../host/evm/engine/outcome.ts'
import { withPrecompileAccounts } from '../../../host/evm/execute/lockstep/precompile-accounts.ts'
import { bankWrites } from '../../../host/evm/modules/bank-rows.ts'
import { decodeAccount } from '../../../host/evm/state/account.ts'
import { allocationDiff } from '../../../host/evm/state/allocation.ts'
import { answerFrom } from '../../../host/evm/state/answer.ts'
import { CHAIN_PRECOMPILES } from '../../../tools/tables/chain-precompile.ts'
import { TestState } from '../chain/test-state.ts'
import { address, engineInBlock, executed, transaction } from '../engine/engine-fixture.ts'

const ERROR_ABI = parseAbi(['error Error(string)'])

function rowOf(name: string) {
  const row = CHAIN_PRECOMPILES.find((precompile) => precompile.name === name)
  if (row === undefined) throw new Error(`no precompile ${name}`)
  return row
}

/** Returns the address of a precompile. */
export function precompile(name: string): Uint8Array {
  return address(rowOf(name).address)
}

/** Returns the ABI of a precompile, from the table. */
export function abiOf(name: string): Abi {
  const lines = (rowOf(name).functions ?? []).map(({ signature, returns, isPayable, isView }) => {
    const mutability = isPayable ? ' payable' : isView ? ' view' : ''
    return `function ${signature}${mutability} returns (${returns})`
  })
  return parseAbi(lines as never) as Abi
}

/** Returns call data for a function of a precompile. */
export function callData(name: string, functionName: string, args: readonly unknown[]): Uint8Array {
  return parseData(encodeFunctionData({ abi: abiOf(name), functionName, args }))
}

/** Decodes the output of a function of a precompile. */
export function resultOf(name: string, functionName: string, output: Uint8Array): unknown {
  return decodeFunctionResult({ abi: abiOf(name), functionName, data: formatData(output) })
}

/** Returns the message of a revert. */
export function reasonOf({ output }: Pick<Executed, 'output'>): string {
  const [text] = decodeErrorResult({ abi: ERROR_ABI, data: formatData(output) }).args ?? []
  return text as string
}

/** Returns an account of genesis. */
export function account(
  who: Uint8Array,
  balance: bigint,
  code: Uint8Array = new Uint8Array(0),
): GenesisAccount {
  return { address: who, balance, nonce: 0n, code, storage: [] }
}

/** A state with this chain's rules, and the engine that runs calls on it, one in each block. */
export class ModuleBench {
  readonly state = new TestState(keccak_256)
  readonly #engine: Engine

  static async open(
    accounts: readonly GenesisAccount[],
    denominations: readonly GenesisDenomination[] = [],
  ): Promise<ModuleBench> {
    const engine = await engineInBlock({ revision: 'Prague', chainPrecompiles: true })
    return new ModuleBench(engine, accounts, denominations)
  }

  private constructor(
    engine: Engine,
    accounts: readonly GenesisAccount[],
    denominations: readonly GenesisDenomination[],
  ) {
    this.#engine = engine
    this.state.apply(allocationDiff(withPrecompileAccounts(accounts), keccak_256))
    const { writes } = bankWrites({ accounts, denominations } as never)
    for (const { key, value } of writes) {
      this.state.setStorage(precompile('bank'), key, value ?? new Uint8Array(32))
    }
  }

  /** Runs a transaction without fee and nonce, and applies its effects. */
  run(fields: Partial<TransactionInput>, options: TransactOptions = {}): Executed {
    const engine = this.#engine
    engine.beginBlock({
      revision: 'Prague',
      chainId: 1n,
      number: 7,
      timestamp: 1_700_000_000,
      gasLimit: 100_000_000n,
      baseFee: 0n,
      coinbase: address(0xcccc),
      prevRandao: bigintToBytes(1n, 32),
      blobBaseFee: 1n,
      burnBaseFee: false,
      chainPrecompiles: true,
    })
    const leniency = { skipSenderChecks: true, skipFees: true }
    const input = transaction({ maxFeePerGas: 0n, ...fields })
    const outcome = executed(
      answerFrom(engine.transact(input, { leniency, ...options }), this.state),
    )
    this.state.apply(engine.diff())
    return outcome
  }

  /** Calls a function of a precompile from an account. */
  call(
    from: Uint8Array,
    name: string,
    functionName: string,
    args: readonly unknown[],
    fields: Partial<TransactionInput> = {},
  ): Executed {
    return this.run({
      from,
      to: precompile(name),
      data: callData(name, functionName, args),
      ...fields,
    })
  }

  /** Returns the result of a function. @throws Error with the reason of its revert */
  read(name: string, functionName: string, args: readonly unknown[]): unknown {
    const outcome = this.call(address(0x999), name, functionName, args)
    if (outcome.error !== undefined) throw new Error(`${outcome.error}: ${reasonOf(outcome)}`)
    return resultOf(name, functionName, outcome.output)
  }

  balanceOf(who: Uint8Array): bigint {
    return decodeAccount(this.state.account(who)?.subarray(0, 72)).balance
  }
}
