import { formatData } from '../../../base/hex.ts'
import type { Log } from '../../../evm/chain-types/log.ts'
import type { Receipt } from '../../../evm/chain-types/receipt.ts'
import { decodeSigned } from '../../../evm/chain-types/transaction-codec.ts'
import { type ChainEvent, indexedEvent } from './chain-event.ts'

function logEvent({ address, topics, data }: Log): ChainEvent {
  const { type, attributes } = indexedEvent('evm_log', [
    ['address', formatData(address)],
    ...topics.map((topic, i) => [`topic${i}`, formatData(topic)] as const),
  ])
  return {
    type,
    attributes: [...attributes, { key: 'data', value: formatData(data), index: false }],
  }
}

/**
 * Returns the events of a transaction, derived from its encoding and receipt. They are not stored and are part of no
 * hash. Addresses and hashes are 0x and lower-case hex, amounts decimal wei.
 *
 * | type | attributes |
 * |---|---|
 * | message | hash (Keccak-256, of the EVM JSON-RPC), sender, status (1 succeeded, 0 failed) |
 * | transfer | sender, recipient, amount: if the transaction itself moves value and succeeded |
 * | evm_log | address, topic0 to topic3, data: for each log, including those of precompiles |
 */
export function transactionEvents(raw: Uint8Array, receipt: Receipt): readonly ChainEvent[] {
  const { transactionHash, from, to, contractAddress, status, logs } = receipt
  const sender = formatData(from)
  const events = [
    indexedEvent('message', [
      ['hash', formatData(transactionHash)],
      ['sender', sender],
      ['status', String(status)],
    ]),
  ]
  const recipient = to ?? contractAddress
  const { value } = decodeSigned(raw, () => transactionHash)
  if (value > 0n && status === 1 && recipient !== undefined) {
    events.push(
      indexedEvent('transfer', [
        ['sender', sender],
        ['recipient', formatData(recipient)],
        ['amount', String(value)],
      ]),
    )
  }
  for (const log of logs) events.push(logEvent(log))
  return events
}
