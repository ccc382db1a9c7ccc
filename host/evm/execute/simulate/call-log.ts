import { bigintToBytes } from '../../../base/bytes.ts'
import { parseData } from '../../../base/hex.ts'
import type { Log } from '../../chain-types/log.ts'
import type { EnterEvent, TraceEvent, TraceSink } from '../../engine/trace-event.ts'

/** Address of the logs for ether transfers (execution-apis, eth_simulateV1). */
const ETHER = parseData('0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee')
/** Keccak-256 of Transfer(address,address,uint256). */
const TRANSFER = parseData('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')

/** A log and its index in the block. */
export interface NumberedLog {
  readonly log: Log
  readonly index: number
}

function addressTopic(address: Uint8Array): Uint8Array {
  const topic = new Uint8Array(32)
  topic.set(address, 12)
  return topic
}

/** A CALLCODE has a value but pays it to the caller itself. */
function movesEther({ type, value }: EnterEvent): boolean {
  return type !== 'DELEGATECALL' && type !== 'CALLCODE' && value !== undefined && value > 0n
}

/**
 * Collects the logs of one transaction in order, and on request a log in ERC-20 form for each ether transfer. Omits
 * logs and transfers of failed frames.
 */
export class SimulatedLogs implements TraceSink {
  readonly #withTransfers: boolean
  readonly #frames: NumberedLog[][] = [[]]
  /** Gas used by the code, before refunds. */
  gasUsed = 0n

  /** Index of the next log in the block. Indices of a failed frame are reused. */
  nextIndex: number

  constructor(withTransfers: boolean, firstIndex: number) {
    this.#withTransfers = withTransfers
    this.nextIndex = firstIndex
  }

  get logs(): readonly NumberedLog[] {
    return this.#frames[0] as NumberedLog[]
  }

  onEvent(event: TraceEvent): void {
    switch (event.kind) {
      case 'enter':
        this.#frames.push([])
        if (this.#withTransfers && movesEther(event)) this.#add(transfer(event))
        return
      case 'exit': {
        const logs = this.#frames.pop() as NumberedLog[]
        if (event.error === undefined) this.#frames.at(-1)?.push(...logs)
        else this.nextIndex -= logs.length
        if (event.depth === 0) this.gasUsed = event.gasUsed
        return
      }
      case 'log':
        this.#add({ address: event.address, topics: event.topics, data: event.data })
    }
  }

  #add(log: Log): void {
    this.#frames.at(-1)?.push({ log, index: this.nextIndex++ })
  }
}

function transfer({ from, to, value = 0n }: EnterEvent): Log {
  return {
    address: ETHER,
    topics: [TRANSFER, addressTopic(from), addressTopic(to)],
    data: bigintToBytes(value, 32),
  }
}
