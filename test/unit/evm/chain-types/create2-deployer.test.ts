import {
  concatHex,
  getContractAddress,
  getCreate2Address,
  pad,
  recoverTransactionAddress,
  serializeTransaction,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { formatData } from '../../../../host/base/hex.ts'
import {
  CREATE2_DEPLOYER_ADDRESS,
  create2DeployerAccount,
} from '../../../../host/evm/chain-types/create2-deployer.ts'
import { PRESETS, presetGenesis } from '../../../../host/evm/chain-types/genesis-presets.ts'
import { compileEngine, openEngine } from '../../../support/engine/engine-module.ts'
import { TokenChain } from '../../../support/payments/token-chain.ts'

const { code } = create2DeployerAccount()

describe('the CREATE2 deployer in the genesis of a development chain', () => {
  test.each([31337n, 1329n])('has its canonical address with chain id %i', (chainId) => {
    const { accounts } = presetGenesis('dev', { time: 0n, validators: [], chainId })
    const found = accounts.filter(
      ({ address }) => formatData(address) === CREATE2_DEPLOYER_ADDRESS.toLowerCase(),
    )
    expect(found).toEqual([create2DeployerAccount()])
  })

  test('is in no genesis of another preset', () => {
    const others = Object.keys(PRESETS).filter((name) => name !== 'dev')
    expect(others).toEqual(['1328', '1329'])
    for (const name of ['1328', '1329'] as const) {
      expect(presetGenesis(name, { time: 0n, validators: [] }).accounts).toEqual([])
    }
  })

  test('has the published code: its creation transaction has the known signer and address', async () => {
    expect(code.length).toBe(69)
    // No chain id, so that anyone may send it on any chain. The runtime code follows the init code that returns it.
    const creation = serializeTransaction(
      {
        type: 'legacy',
        nonce: 0,
        gasPrice: 100_000_000_000n,
        gas: 100_000n,
        data: concatHex(['0x604580600e600039806000f350fe', formatData(code)]),
      },
      { v: 27n, r: `0x${'22'.repeat(32)}`, s: `0x${'22'.repeat(32)}` },
    )
    const from = await recoverTransactionAddress({ serializedTransaction: creation })
    expect(from).toBe('0x3fAB184622Dc19b6109349B94811493BF2a45362')
    expect(getContractAddress({ from, nonce: 0n })).toBe(CREATE2_DEPLOYER_ADDRESS)
  })

  test('returns the CREATE2 address of the deployed contract', async () => {
    const chain = await TokenChain.open(await openEngine(await compileEngine()))
    const salt = pad('0x2a')
    const bytecode = '0x6001600c60003960016000f300'
    const answer = await chain.call(CREATE2_DEPLOYER_ADDRESS, concatHex([salt, bytecode]))
    expect(answer).toEqual({
      output: getCreate2Address({ from: CREATE2_DEPLOYER_ADDRESS, salt, bytecode }).toLowerCase(),
    })
  })
})
