import { createPublicClient, createWalletClient, type Hex, http } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compile } from '../support/contracts/solidity.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { viemChain } from '../support/node/viem-chain.ts'

type Json = Record<string, unknown>

const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]*)$/
const HASH = /^0x[0-9a-f]{64}$/
const ADDRESS = /^0x[0-9a-f]{40}$/
const DATA = /^0x([0-9a-f]{2})*$/

const contracts = compile('Token.sol')
const sender = devAccount(0)
const authority = devAccount(5)
const recipient = devAccount(1).address

/** Fields that the transaction record of every type has, with their formats. */
const RECORD = {
  blockHash: HASH,
  blockNumber: QUANTITY,
  blockTimestamp: QUANTITY,
  from: ADDRESS,
  gas: QUANTITY,
  gasPrice: QUANTITY,
  hash: HASH,
  input: DATA,
  nonce: QUANTITY,
  to: ADDRESS,
  transactionIndex: QUANTITY,
  value: QUANTITY,
  type: QUANTITY,
  chainId: QUANTITY,
  v: QUANTITY,
  r: QUANTITY,
  s: QUANTITY,
}

const RECORD_BY_TYPE: Readonly<Record<string, readonly string[]>> = {
  '0x0': [],
  '0x1': ['accessList', 'yParity'],
  '0x2': ['accessList', 'maxFeePerGas', 'maxPriorityFeePerGas', 'yParity'],
  '0x4': ['accessList', 'authorizationList', 'maxFeePerGas', 'maxPriorityFeePerGas', 'yParity'],
}

const RECEIPT = {
  blockHash: HASH,
  blockNumber: QUANTITY,
  cumulativeGasUsed: QUANTITY,
  effectiveGasPrice: QUANTITY,
  from: ADDRESS,
  gasUsed: QUANTITY,
  logsBloom: /^0x[0-9a-f]{512}$/,
  status: QUANTITY,
  to: ADDRESS,
  transactionHash: HASH,
  transactionIndex: QUANTITY,
  type: QUANTITY,
}

function expectFormats(value: Json, formats: Readonly<Record<string, RegExp>>): void {
  for (const [field, format] of Object.entries(formats)) {
    expect(value[field], field).toMatch(format)
  }
}

describe("the contract's fields by transaction type", () => {
  const home = makeHome()
  let daemon: Daemon

  beforeAll(async () => {
    daemon = await startDaemon({ home })
  }, 60_000)

  afterAll(async () => {
    await daemon?.stop()
    removeHome(home)
  })

  function clients() {
    const chain = viemChain(daemon.ready)
    return {
      chain,
      reader: createPublicClient({ chain, transport: http(), pollingInterval: 50 }),
      wallet: createWalletClient({ chain, transport: http(), account: sender }),
    }
  }

  async function call<Result>(method: string, params: unknown[]): Promise<Result> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(daemon.ready.rpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const answer = (await response.json()) as Json
    expect(Object.keys(answer).sort()).toEqual(['id', 'jsonrpc', 'result'])
    return answer.result as Result
  }

  async function send(type: string): Promise<Hex> {
    const { chain, wallet, reader } = clients()
    const fees = { maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
    const common = { to: recipient, value: 5n, data: '0xc0ffee', gas: 150_000n, chain } as const
    const accessList = [
      { address: recipient, storageKeys: [`0x${'01'.padStart(64, '0')}`] },
    ] as const
    switch (type) {
      case '0x0':
        return wallet.sendTransaction({ ...common, type: 'legacy', gasPrice: 100_000_000_000n })
      case '0x1':
        return wallet.sendTransaction({
          ...common,
          type: 'eip2930',
          gasPrice: 100_000_000_000n,
          accessList,
        })
      case '0x2':
        return wallet.sendTransaction({ ...common, type: 'eip1559', ...fees, accessList })
      default: {
        const nonce = await reader.getTransactionCount({ address: authority.address })
        const authorizationList = [
          await wallet.signAuthorization({
            account: authority,
            contractAddress: recipient,
            chainId: chain.id,
            nonce,
          }),
        ]
        return wallet.sendTransaction({ ...common, type: 'eip7702', ...fees, authorizationList })
      }
    }
  }

  test.each(Object.keys(RECORD_BY_TYPE))(
    'are in the record, receipt and call frame of a transaction of type %s',
    async (type) => {
      const hash = await send(type)
      await clients().reader.waitForTransactionReceipt({ hash })

      const record = await call<Json>('eth_getTransactionByHash', [hash])
      expect(Object.keys(record).sort()).toEqual(
        [...Object.keys(RECORD), ...(RECORD_BY_TYPE[type] ?? [])].sort(),
      )
      expectFormats(record, RECORD)
      expect(record).toMatchObject({
        hash,
        type,
        from: sender.address.toLowerCase(),
        to: recipient.toLowerCase(),
        value: '0x5',
        input: '0xc0ffee',
        gas: '0x249f0',
        chainId: `0x${daemon.ready.chainId.toString(16)}`,
      })

      const receipt = await call<Json>('eth_getTransactionReceipt', [hash])
      expect(Object.keys(receipt).sort()).toEqual(
        [...Object.keys(RECEIPT), 'contractAddress', 'logs'].sort(),
      )
      expectFormats(receipt, RECEIPT)
      expect(receipt).toMatchObject({
        transactionHash: hash,
        type,
        status: '0x1',
        contractAddress: null,
        logs: [],
        blockHash: record.blockHash,
        blockNumber: record.blockNumber,
        transactionIndex: record.transactionIndex,
      })
      expect(receipt.effectiveGasPrice).toBe(record.gasPrice)

      const frame = await call<Json>('debug_traceTransaction', [hash, { tracer: 'callTracer' }])
      expect(Object.keys(frame)).toEqual(['from', 'gas', 'gasUsed', 'to', 'input', 'value', 'type'])
      expect(frame).toEqual({
        from: sender.address.toLowerCase(),
        gas: '0x249f0',
        gasUsed: receipt.gasUsed,
        to: recipient.toLowerCase(),
        input: '0xc0ffee',
        value: '0x5',
        type: 'CALL',
      })
    },
  )

  test('are in nested call frames: order, log positions, a caught failure, onlyTopCall', async () => {
    const { wallet, reader } = clients()
    const deploy = async (name: string, args: unknown[]): Promise<Hex> => {
      const { abi, bytecode } = contracts.get(name) ?? { abi: [], bytecode: '0x' as const }
      const hash = await wallet.deployContract({ abi, bytecode, args })
      return (await reader.waitForTransactionReceipt({ hash })).contractAddress as Hex
    }
    const token = await deploy('Token', [1_000n])
    const distributor = await deploy('Distributor', [token])
    const abi = [
      ...(contracts.get('Token')?.abi ?? []),
      ...(contracts.get('Distributor')?.abi ?? []),
    ]
    const approval = await wallet.writeContract({
      address: token,
      abi,
      functionName: 'approve',
      args: [distributor, 10n],
    })
    await reader.waitForTransactionReceipt({ hash: approval })
    const to = [devAccount(2).address, devAccount(3).address]
    const hash = await wallet.writeContract({
      address: distributor,
      abi,
      functionName: 'distribute',
      args: [to, 5n],
    })
    await reader.waitForTransactionReceipt({ hash })

    const traced = async (tracerConfig: Json): Promise<Json> =>
      call('debug_traceTransaction', [hash, { tracer: 'callTracer', tracerConfig }])
    const root = await traced({ withLog: true, onlyTopCall: false })
    const frames = root.calls as Json[]
    expect(frames.map((frame) => [frame.type, frame.to, frame.error])).toEqual([
      ['CALL', token, undefined],
      ['CALL', token, undefined],
      ['CALL', token, 'execution reverted'],
    ])
    expect(Object.keys(frames[0] as Json)).toEqual([
      'from',
      'gas',
      'gasUsed',
      'to',
      'input',
      'output',
      'logs',
      'value',
      'type',
    ])
    for (const frame of frames.slice(0, 2)) {
      const [log] = frame.logs as Json[]
      // geth adds `index` to the four fields of the contract.
      expect(Object.keys(log as Json)).toEqual(['address', 'topics', 'data', 'index', 'position'])
      expect(log).toMatchObject({ address: token, position: '0x0' })
    }
    expect(frames[2]).not.toHaveProperty('logs')
    expect(root.logs).toMatchObject([{ address: distributor, position: '0x3' }])
    expect(await traced({ onlyTopCall: true })).not.toHaveProperty('calls')
    expect(await traced({})).not.toHaveProperty('logs')
  })
})
