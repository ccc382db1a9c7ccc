import * as fc from 'fast-check'
import {
  concatHex,
  decodeEventLog,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  numberToHex,
  sliceHex,
  zeroAddress,
} from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { formatData } from '../../../../host/base/hex.ts'
import type { Log } from '../../../../host/evm/chain-types/log.ts'
import { DEV_TOKENS, paymentTokenOf } from '../../../../host/evm/chain-types/payment-token.ts'
import { compile } from '../../../support/contracts/solidity.ts'
import { compileEngine, openEngine } from '../../../support/engine/engine-module.ts'
import { TOKEN_ABI } from '../../../support/payments/token-abi.ts'
import { HOLDERS, TokenChain } from '../../../support/payments/token-chain.ts'
import { runSeed } from '../../../support/random.ts'
import { type Given, type TokenCall, type TokenEvent, TokenModel } from './token-model.ts'

const TOKEN = paymentTokenOf(31337n)
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const KEYS = HOLDERS.slice(0, 3) as [PrivateKeyAccount, PrivateKeyAccount, PrivateKeyAccount]
const seed = runSeed()

/** Numbers from which a step is made once the previous state and time are known. */
const step = fc.record({
  name: fc.constantFrom(
    'transfer',
    'approve',
    'transferFrom',
    'permit',
    'transferWithAuthorization',
    'transferWithAuthorization',
    'transferWithAuthorization',
    'receiveWithAuthorization',
    'cancelAuthorization',
  ),
  sender: fc.nat(2),
  /** 3 is the contract. */
  account: fc.nat(3),
  /** 4 is the zero address. */
  other: fc.constantFrom(0, 0, 1, 1, 2, 2, 3, 3, 4),
  amount: fc.oneof(
    fc.bigInt({ min: 0n, max: DEV_TOKENS }),
    fc.constantFrom('all', 'more than all', 'the highest'),
  ),
  window: fc.constantFrom(
    ...['open', 'open', 'open', 'open', 'starts now', 'ends now', 'over', 'early'],
  ),
  nonce: fc.nat(2),
  signer: fc.constantFrom('own', 'own', 'own', 'own', 'own', 'another'),
  lie: fc.constantFrom(...Array(6).fill('none'), 'value', 'kind'),
  flaw: fc.constantFrom(...Array(8).fill('none'), 'high s', 'parity', 'short', 'no point'),
  whole: fc.boolean(),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const FLAWS: Readonly<Record<string, string>> = {
  'high s': "ECRecover: invalid signature 's' value",
  parity: "ECRecover: invalid signature 'v' value",
  short: 'ECRecover: invalid signature length',
  'no point': 'ECRecover: invalid signature',
}

function spoil(signature: Hex, flaw: string): Hex {
  const [r, s, v] = [
    sliceHex(signature, 0, 32),
    sliceHex(signature, 32, 64),
    sliceHex(signature, 64),
  ]
  if (flaw === 'parity') return concatHex([r, s, numberToHex(Number(v) - 27, { size: 1 })])
  if (flaw === 'short') return concatHex([r, s])
  if (flaw === 'no point') return concatHex([numberToHex(ORDER, { size: 32 }), s, v])
  if (flaw !== 'high s') return signature
  const high = numberToHex(ORDER - hexToBigInt(s), { size: 32 })
  return concatHex([r, high, numberToHex(55 - Number(v))])
}

interface Made {
  readonly call: TokenCall
  readonly data: Hex
}

/** A token under test, with the interpretation of a step. */
class Run {
  readonly chain: TokenChain
  readonly model: TokenModel
  readonly accounts: readonly Hex[]

  constructor(chain: TokenChain, contract: Hex) {
    this.chain = chain
    this.accounts = [...KEYS.map(({ address }) => address), contract]
    this.model = new TokenModel(
      TOKEN,
      new Map(HOLDERS.map(({ address }) => [address, DEV_TOKENS])),
      new Map([[contract, KEYS[0].address]]),
    )
  }

  account(index: number): Hex {
    return this.accounts[index] ?? zeroAddress
  }

  async make(step: Step): Promise<Made> {
    const sender = this.account(step.sender)
    const account = this.account(step.account)
    const other = this.account(step.other)
    const nonce = numberToHex(step.nonce, { size: 32 })
    const isOwn = step.name === 'transfer' || step.name === 'approve'
    const value = this.#amount(step, isOwn ? sender : account)
    const { name } = step
    switch (name) {
      case 'transfer':
        return this.#plain({ name, sender, to: other, value }, [other, value])
      case 'approve':
        return this.#plain({ name, sender, spender: other, value }, [other, value])
      case 'transferFrom': {
        const call = { name, sender, from: account, to: other, value } as const
        return this.#plain(call, [account, other, value])
      }
      case 'permit': {
        const { to: deadline } = this.#window(step)
        const signedValue = step.lie === 'value' ? value + 1n : value
        const digest = this.model.permitDigest(account, other, signedValue % 2n ** 256n, deadline)
        const { given, args } = await this.#sign(step, digest)
        const call = {
          name,
          sender,
          owner: account,
          spender: other,
          value,
          deadline,
          signature: given,
        } as const
        return this.#plain(call, [account, other, value, deadline, ...args])
      }
      case 'cancelAuthorization': {
        const lied = numberToHex(step.lie === 'value' ? 9 : step.nonce, { size: 32 })
        const { given, args } = await this.#sign(step, this.model.cancelDigest(account, lied))
        const call = { name, sender, authorizer: account, nonce, signature: given } as const
        return this.#plain(call, [account, nonce, ...args])
      }
      default: {
        const isReceived = name === 'receiveWithAuthorization'
        const { from: validAfter, to: validBefore } = this.#window(step)
        const message = { from: account, to: other, value, validAfter, validBefore, nonce }
        const digest = this.model.transferDigest(
          isReceived === (step.lie === 'kind')
            ? 'TransferWithAuthorization'
            : 'ReceiveWithAuthorization',
          step.lie === 'value' ? { ...message, value: value ^ 1n } : message,
        )
        const { given, args } = await this.#sign(step, digest)
        const known = isReceived ? 'receiveWithAuthorization' : 'transferWithAuthorization'
        const call = { name: known, sender, message, signature: given } as const
        return this.#plain(call, [...Object.values(message), ...args])
      }
    }
  }

  #plain(call: TokenCall, args: readonly unknown[]): Made {
    const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: call.name, args } as never)
    return { call, data }
  }

  #amount({ amount }: Step, owner: Hex): bigint {
    const balance = this.model.balances.get(owner) ?? 0n
    if (amount === 'all') return balance
    if (amount === 'more than all') return balance + 1n
    return typeof amount === 'bigint' ? amount : 2n ** 256n - 1n
  }

  /**
   * Returns the seconds between which a step is valid, both excluded. A block's time is that of its parent or one
   * second later.
   */
  #window({ window }: Step): { readonly from: bigint; readonly to: bigint } {
    const { time } = this.chain
    if (window === 'starts now') return { from: time, to: time + 1000n }
    if (window === 'ends now') return { from: 0n, to: time + 1n }
    if (window === 'over') return { from: 0n, to: time - 1n }
    if (window === 'early') return { from: time + 100n, to: time + 1000n }
    return { from: 0n, to: time + 1000n }
  }

  async #sign(step: Step, digest: Hex): Promise<{ given: Given; args: readonly unknown[] }> {
    // The contract accepts signatures of account 0.
    const own = step.account % 3
    const signer = KEYS[step.signer === 'own' ? own : (own + 1) % 3] as PrivateKeyAccount
    // A 64-byte signature cannot be given as v, r and s.
    const flaw = step.whole && step.flaw === 'short' ? 'none' : step.flaw
    const signature = spoil(await signer.sign({ hash: digest }), flaw)
    const given = { digest, by: signer.address, flaw: FLAWS[flaw] }
    if (!step.whole) return { given, args: [signature] }
    const v = Number(sliceHex(signature, 64))
    return { given, args: [v, sliceHex(signature, 0, 32), sliceHex(signature, 32, 64)] }
  }

  /** Calls, sends, and compares both with the model. */
  async take(step: Step): Promise<void> {
    const { call, data } = await this.make(step)
    const expected = this.model.preview(call, this.chain.time)
    const answer = await this.chain.call(TOKEN, data, call.sender)
    expect('reason' in answer ? answer.reason : undefined).toBe(
      'reason' in expected ? expected.reason : undefined,
    )
    const sender = KEYS[step.sender] as PrivateKeyAccount
    const { status, logs, time } = await this.chain.send(sender, TOKEN, data)
    const effect = this.model.apply(call, time)
    expect(status).toBe('reason' in effect ? 0 : 1)
    expect(logs.map(eventOf)).toEqual('reason' in effect ? [] : effect.events)
  }

  async compareState(): Promise<void> {
    const { balances, allowances, nonces, used } = this.model
    let sum = 0n
    for (const [address, balance] of balances) {
      expect(await this.#read('balanceOf', address)).toBe(balance)
      sum += balance
    }
    expect(await this.#read('totalSupply')).toBe(sum)
    for (const owner of this.accounts) {
      expect(await this.#read('nonces', owner)).toBe(nonces.get(owner) ?? 0n)
      for (const spender of this.accounts) {
        expect(await this.#read('allowance', owner, spender)).toBe(
          allowances.get(`${owner} ${spender}`) ?? 0n,
        )
      }
      for (const nonce of [0, 1, 2].map((n) => numberToHex(n, { size: 32 }))) {
        expect(await this.#read('authorizationState', owner, nonce)).toBe(
          used.has(`${owner} ${nonce}`),
        )
      }
    }
  }

  async #read(functionName: string, ...args: unknown[]): Promise<unknown> {
    const data = encodeFunctionData({ abi: TOKEN_ABI, functionName, args } as never)
    const answer = await this.chain.call(TOKEN, data)
    if ('reason' in answer) throw new Error(answer.reason)
    return decodeFunctionResult({ abi: TOKEN_ABI, functionName, data: answer.output } as never)
  }
}

function eventOf({ topics, data }: Log): TokenEvent {
  const { eventName, args } = decodeEventLog({
    abi: TOKEN_ABI,
    topics: topics.map(formatData) as [Hex, ...Hex[]],
    data: formatData(data),
  })
  return [eventName, ...(Object.values(args) as (Hex | bigint)[])]
}

test(`the token follows the EIPs under any sequence of calls (seed ${seed})`, async () => {
  const engine = await openEngine(await compileEngine())
  const payer = compile('Payer.sol').get('OwnedPayer')
  if (payer === undefined) throw new Error('Payer.sol has no OwnedPayer')
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      const chain = await TokenChain.open(engine)
      const contract = await chain.deploy(KEYS[0], payer, KEYS[0].address)
      const run = new Run(chain, contract as Hex)
      for (const each of steps) await run.take(each)
      await run.compareState()
    }),
    { seed, numRuns: 6 },
  )
})
