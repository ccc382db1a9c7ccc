import { expect, test } from 'vitest'
import { logText } from '../../../../../host/api/rpc/format/log-record.ts'
import { receiptText, receiptTexts } from '../../../../../host/api/rpc/format/receipt-record.ts'
import type { BlockHeader } from '../../../../../host/evm/chain-types/block.ts'
import type { Log } from '../../../../../host/evm/chain-types/log.ts'
import type { LogPosition } from '../../../../../host/evm/chain-types/log-filter.ts'
import type { Receipt } from '../../../../../host/evm/chain-types/receipt.ts'
import type { TransactionType } from '../../../../../host/evm/chain-types/transaction.ts'
import { FakeNode } from '../../../../support/chain/fake-chain.ts'
import { makeRandom, runSeed } from '../../../../support/random.ts'

const seed = runSeed()
const random = makeRandom(seed)

const upTo = (end: number): number => Math.floor(random() * end)
const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => upTo(256))
const perhaps = <Value>(value: Value): Value | undefined => (random() < 0.5 ? value : undefined)
/** Returns an amount of any width up to 256 bits, including zero. */
const amount = (): bigint => BigInt(`0x0${Buffer.from(bytes(upTo(33))).toString('hex')}`)

const data = (value: Uint8Array): string => `0x${Buffer.from(value).toString('hex')}`
const quantity = (value: bigint | number): string => `0x${value.toString(16)}`

function randomLog(): Log {
  return {
    address: bytes(20),
    topics: Array.from({ length: upTo(5) }, () => bytes(32)),
    data: bytes(upTo(3) * upTo(3000)),
  }
}

/** Returns a log as the execution-apis specify it. */
function describedLog(log: Log, place: LogPosition): object {
  return {
    address: data(log.address),
    topics: log.topics.map(data),
    data: data(log.data),
    blockNumber: quantity(place.header.number),
    transactionHash: data(place.transactionHash),
    transactionIndex: quantity(place.transactionIndex),
    blockHash: data(place.header.hash),
    blockTimestamp: quantity(place.header.timestamp),
    logIndex: quantity(place.logIndex),
    removed: place.isRemoved === true,
  }
}

function randomReceipt(): Receipt {
  const stateRoot = perhaps(bytes(32))
  const blobGas = perhaps({ used: amount(), price: amount() })
  return {
    type: upTo(5) as TransactionType,
    transactionHash: bytes(32),
    from: bytes(20),
    to: perhaps(bytes(20)),
    contractAddress: perhaps(bytes(20)),
    status: random() < 0.5 ? 0 : 1,
    gasUsed: amount(),
    cumulativeGasUsed: amount(),
    effectiveGasPrice: amount(),
    logs: Array.from({ length: upTo(4) }, randomLog),
    logsBloom: bytes(256),
    ...(stateRoot !== undefined && { stateRoot }),
    ...(blobGas !== undefined && { blobGas }),
  }
}

function describedReceipt(
  receipt: Receipt,
  header: BlockHeader,
  index: number,
  firstLog: number,
): object {
  const { transactionHash, stateRoot, blobGas } = receipt
  return {
    blockHash: data(header.hash),
    blockNumber: quantity(header.number),
    contractAddress: receipt.contractAddress === undefined ? null : data(receipt.contractAddress),
    cumulativeGasUsed: quantity(receipt.cumulativeGasUsed),
    effectiveGasPrice: quantity(receipt.effectiveGasPrice),
    from: data(receipt.from),
    gasUsed: quantity(receipt.gasUsed),
    logs: receipt.logs.map((log, i) =>
      describedLog(log, {
        header,
        transactionHash,
        transactionIndex: index,
        logIndex: firstLog + i,
      }),
    ),
    logsBloom: data(receipt.logsBloom),
    ...(stateRoot === undefined ? { status: quantity(receipt.status) } : { root: data(stateRoot) }),
    to: receipt.to === undefined ? null : data(receipt.to),
    transactionHash: data(transactionHash),
    transactionIndex: quantity(index),
    type: quantity(receipt.type),
    ...(blobGas !== undefined && {
      blobGasUsed: quantity(blobGas.used),
      blobGasPrice: quantity(blobGas.price),
    }),
  }
}

test(`receipts and logs are written as JSON.stringify does (LOCKSTEP_SEED=${seed})`, () => {
  const node = new FakeNode()
  const genesis = node.chain.header(0) as BlockHeader
  for (let round = 0; round < 200; round++) {
    const header = { ...genesis, hash: bytes(32), number: upTo(2 ** 40), timestamp: upTo(2 ** 33) }
    const receipt = randomReceipt()
    const [index, firstLog] = [upTo(5000), upTo(100_000)]
    expect(receiptText(receipt, { header, index, firstLog })).toBe(
      JSON.stringify(describedReceipt(receipt, header, index, firstLog)),
    )
    const log = randomLog()
    const place: LogPosition = {
      header,
      transactionHash: bytes(32),
      transactionIndex: index,
      logIndex: firstLog,
      ...(random() < 0.5 && { isRemoved: true }),
    }
    expect(logText(log, place)).toBe(JSON.stringify(describedLog(log, place)))
  }
  node.close()
})

test(`all receipts of a block are written with their indices (LOCKSTEP_SEED=${seed})`, () => {
  const node = new FakeNode()
  const header = node.chain.header(0) as BlockHeader
  const receipts = Array.from({ length: 60 }, randomReceipt)
  let firstLog = 0
  const described = receipts.map((receipt, index) => {
    const text = JSON.stringify(describedReceipt(receipt, header, index, firstLog))
    firstLog += receipt.logs.length
    return text
  })
  expect([...receiptTexts(receipts.values(), { header })]).toEqual(described)
  node.close()
})
