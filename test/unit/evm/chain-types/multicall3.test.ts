import {
  concatHex,
  decodeFunctionResult,
  encodeFunctionData,
  getContractAddress,
  keccak256,
  multicall3Abi,
  recoverTransactionAddress,
  serializeTransaction,
} from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { formatData, type Hex } from '../../../../host/base/hex.ts'
import { presetGenesis } from '../../../../host/evm/chain-types/genesis-presets.ts'
import {
  MULTICALL3_ADDRESS,
  multicall3Account,
} from '../../../../host/evm/chain-types/multicall3.ts'
import { DEV_TOKENS, paymentTokenOf } from '../../../../host/evm/chain-types/payment-token.ts'
import { compileEngine, openEngine } from '../../../support/engine/engine-module.ts'
import { TOKEN_ABI } from '../../../support/payments/token-abi.ts'
import { HOLDERS, TokenChain } from '../../../support/payments/token-chain.ts'

const { code } = multicall3Account()

describe('Multicall3 in the genesis of a development chain', () => {
  test.each([31337n, 1329n])('has its canonical address with chain id %i', (chainId) => {
    const { accounts } = presetGenesis('dev', { time: 0n, validators: [], chainId })
    const found = accounts.filter(
      ({ address }) => formatData(address) === MULTICALL3_ADDRESS.toLowerCase(),
    )
    expect(found).toEqual([multicall3Account()])
  })

  test('has the published code: its creation transaction has the known signer and address', async () => {
    expect(keccak256(code)).toBe(
      '0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891',
    )
    // No chain id, so that anyone may send it on any chain. The runtime code follows the init code that returns it.
    const creation = serializeTransaction(
      {
        type: 'legacy',
        nonce: 0,
        gasPrice: 100_000_000_000n,
        gas: 1_000_000n,
        data: concatHex([
          '0x608060405234801561001057600080fd5b50610ee0806100206000396000f3fe',
          formatData(code),
        ]),
      },
      {
        v: 28n,
        r: '0xedce47092c0f398cebf3ffc267f05c8e7076e3b89445e0fe50f6332273d4569b',
        s: '0x1b0b9d000e19b24c5869b0fc3b22b0d6fa47cd63316875cbbd577d76e6fde086',
      },
    )
    const from = await recoverTransactionAddress({ serializedTransaction: creation })
    expect(from).toBe('0x05f32B3cC3888453ff71B01135B34FF8e41263F2')
    expect(getContractAddress({ from, nonce: 0n })).toBe(MULTICALL3_ADDRESS)
  })

  describe('when it runs', () => {
    let chain: TokenChain
    beforeAll(async () => {
      chain = await TokenChain.open(await openEngine(await compileEngine()))
    })

    test('aggregates the results of a token call and of a call that is allowed to fail', async () => {
      const target = paymentTokenOf(31337n)
      const read = (functionName: string, args: readonly unknown[]) =>
        encodeFunctionData({ abi: TOKEN_ABI, functionName, args } as never)
      const holder = HOLDERS[0]?.address as Hex
      const calls = [
        read('balanceOf', [holder]),
        read('decimals', []),
        read('transfer', [holder, 1n]),
      ]
      const answer = await chain.call(
        MULTICALL3_ADDRESS,
        encodeFunctionData({
          abi: multicall3Abi,
          functionName: 'aggregate3',
          args: [calls.map((callData) => ({ target, allowFailure: true, callData }))],
        }),
      )
      if ('reason' in answer) throw new Error(answer.reason)
      const [balance, decimals, transfer] = decodeFunctionResult({
        abi: multicall3Abi,
        functionName: 'aggregate3',
        data: answer.output,
      })
      expect([BigInt(balance?.returnData ?? 0), BigInt(decimals?.returnData ?? 0)]).toEqual([
        DEV_TOKENS,
        6n,
      ])
      expect([balance?.success, decimals?.success, transfer?.success]).toEqual([true, true, false])
    })
  })
})
