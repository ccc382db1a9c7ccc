import { parseTransaction, recoverMessageAddress, recoverTypedDataAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { DEV_ACCOUNTS } from '../../../host/base/dev-accounts.ts'
import { LockstepError } from '../../../host/base/error.ts'
import { NodeRefusal } from '../../../host/client/chain-client/rpc-connection.ts'
import { Chain } from '../../../host/toolkit/chain.ts'
import { privateKeyWallet } from '../../../host/toolkit/wallet/private-key-wallet.ts'
import { ScriptedNode } from './scripted-node.ts'

const [owner] = DEV_ACCOUNTS as unknown as readonly [(typeof DEV_ACCOUNTS)[number]]
const TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const open = (node: ScriptedNode) =>
  privateKeyWallet(owner.privateKey)(new Chain(node), { chainId: 31337 })
const transfer = { to: TO, value: 1n, data: '0x' } as const

describe('a wallet with a private key', () => {
  test('uses consecutive nonces for any number of concurrent transactions', async () => {
    const sent: number[] = []
    const node = new ScriptedNode({
      eth_getTransactionCount: () => `0x${sent.length.toString(16)}`,
      eth_sendRawTransaction: async (raw: `0x${string}`) => {
        await new Promise((resolve) => setImmediate(resolve))
        sent.push(parseTransaction(raw).nonce ?? -1)
      },
    })
    const wallet = open(node)
    const hashes = await Promise.all([1, 2, 3].map(() => wallet.sendTransaction(transfer)))
    expect(sent).toEqual([0, 1, 2])
    expect(new Set(hashes).size).toBe(3)
  })

  test('continues after a refused transaction', async () => {
    let refuses = true
    const node = new ScriptedNode({
      eth_sendRawTransaction: () => {
        if (refuses) throw new NodeRefusal(-32000, 'insufficient funds for gas * price + value')
      },
    })
    const wallet = open(node)
    await expect(wallet.sendTransaction(transfer)).rejects.toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
    })
    refuses = false
    await expect(wallet.sendTransaction(transfer)).resolves.toMatch(/^0x/)
  })

  test('reports the hash of a transaction that may be in flight', async () => {
    const node = new ScriptedNode({
      eth_sendRawTransaction: () => {
        throw new LockstepError('NODE_UNREACHABLE', 'no node answers')
      },
    })
    await expect(open(node).sendTransaction(transfer)).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      details: { hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    })
  })

  test('signs messages and typed data that others can verify', async () => {
    const wallet = open(new ScriptedNode())
    const signature = await wallet.signMessage('héllo')
    expect(await recoverMessageAddress({ message: 'héllo', signature })).toBe(owner.address)
    const typed = {
      domain: { name: 'USDC', version: '2', chainId: 31337, verifyingContract: TO },
      types: {
        Pay: [
          { name: 'to', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'Pay',
      message: { to: TO, value: 5n, nonce: `0x${'ab'.repeat(32)}` },
    } as const
    const signed = await wallet.signTypedData(typed)
    expect(await recoverTypedDataAddress({ ...typed, signature: signed })).toBe(owner.address)
  })

  test('refuses an invalid key without printing it', () => {
    expect(() => privateKeyWallet(`${owner.privateKey}00`)).toThrow(
      expect.objectContaining({ message: 'the private key is not 64 hex digits' }),
    )
  })
})
