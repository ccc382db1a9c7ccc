import { SENDER } from '../../../support/engine/engine-fixture.ts'

/** A transaction under Amsterdam, and what it costs. geth 1.17.10 (`evm t8n`) gives the same numbers for each. */
export interface AmsterdamCase {
  readonly what: string
  /** Code of the contract at 0x2222, which has 5 wei and storage 1 in slot 1. */
  readonly code: string
  /** Undefined for the contract. */
  readonly to?: string
  /** Initcode of a creation. */
  readonly initcode?: string
  readonly data?: string
  readonly value?: bigint
  readonly gas?: bigint
  /** Addresses of the access list, with as many slots from 0 on. */
  readonly accessList?: readonly (readonly [address: string, slots: number])[]
  /** What the sender pays; the block's gas; the block's state gas. */
  readonly used: bigint
  readonly block: bigint
  readonly state: bigint
  readonly logs?: number
  readonly error?: string
}

const pad = (low: string): string => `0x${low.padStart(40, '0')}`
export const CONTRACT_ADDRESS = pad('2222')
const ABSENT = pad('dead')
const SELF = `0x${Array.from(SENDER, (byte) => byte.toString(16).padStart(2, '0')).join('')}`

/** CALL of ABSENT with 1 wei and no gas, whose result is dropped. */
const CALL_ABSENT = '5f5f5f5f600161dead5ff150'

export const AMSTERDAM_CASES: readonly AmsterdamCase[] = [
  // EIP-2780
  { what: 'a call of a contract', code: '00', used: 15_000n, block: 15_000n, state: 0n },
  {
    what: 'a transfer to an account',
    code: '',
    value: 1n,
    used: 21_000n,
    block: 21_000n,
    state: 0n,
    logs: 1,
  },
  {
    what: 'a transfer to the sender',
    code: '',
    to: SELF,
    value: 1n,
    used: 12_000n,
    block: 12_000n,
    state: 0n,
    logs: 0,
  },
  {
    what: 'a transfer that creates an account',
    code: '',
    to: ABSENT,
    value: 1n,
    used: 204_600n,
    block: 21_000n,
    state: 183_600n,
    logs: 1,
  },
  {
    what: 'a transfer without gas for a new account',
    code: '',
    to: ABSENT,
    value: 1n,
    gas: 204_599n,
    used: 204_599n,
    block: 204_599n,
    state: 0n,
    logs: 0,
    error: 'out of gas',
  },
  {
    what: 'a creation without code',
    code: '',
    initcode: '00',
    used: 207_606n,
    block: 24_064n,
    state: 183_600n,
  },
  {
    what: 'a creation that reverts',
    code: '',
    initcode: '5f5ffd',
    used: 24_192n,
    block: 24_192n,
    state: 0n,
    error: 'execution reverted',
  },
  {
    what: 'a creation with 32 bytes of code',
    code: '',
    initcode: '60205ff3',
    used: 256_640n,
    block: 24_256n,
    state: 232_560n,
  },
  // EIP-7976, EIP-7981
  {
    what: 'data below its floor',
    code: '00',
    data: '0x0001',
    used: 15_128n,
    block: 15_128n,
    state: 0n,
  },
  {
    what: 'an access list',
    code: '00',
    accessList: [[ABSENT, 2]],
    used: 27_276n,
    block: 27_276n,
    state: 0n,
  },
  // EIP-8037, EIP-8038
  {
    what: 'SSTORE to a new slot',
    code: '60015f5500',
    used: 125_025n,
    block: 27_105n,
    state: 97_920n,
  },
  {
    what: 'SSTORE to a slot with a value',
    code: '600260015500',
    used: 27_106n,
    block: 27_106n,
    state: 0n,
  },
  {
    what: 'SSTORE that clears a slot',
    code: '5f60015500',
    used: 21_684n,
    block: 27_105n,
    state: 0n,
  },
  {
    what: 'a slot set and cleared again',
    code: '60015f555f5f5500',
    used: 21_768n,
    block: 27_209n,
    state: 0n,
  },
  {
    what: 'a call with value to an absent account',
    code: `${CALL_ABSENT}00`,
    used: 210_618n,
    block: 27_018n,
    state: 183_600n,
    logs: 1,
  },
  {
    what: 'a call of an absent account that lacks the balance',
    code: '5f5f5f5f600961dead5ff15000',
    used: 27_018n,
    block: 27_018n,
    state: 0n,
    logs: 0,
  },
  { what: 'EXTCODESIZE', code: '61dead3b00', used: 18_103n, block: 18_103n, state: 0n },
  { what: 'BALANCE', code: '61dead3100', used: 18_003n, block: 18_003n, state: 0n },
  {
    what: 'CREATE without code',
    code: '5f5f5ff000',
    used: 210_606n,
    block: 27_006n,
    state: 183_600n,
  },
  {
    what: 'CREATE with value',
    code: '5f5f6001f000',
    used: 210_607n,
    block: 27_007n,
    state: 183_600n,
    logs: 1,
  },
  {
    what: 'CREATE without the balance',
    code: '5f5f6009f000',
    used: 27_007n,
    block: 27_007n,
    state: 0n,
  },
  {
    what: 'SELFDESTRUCT to an absent account',
    code: '61deadff',
    used: 215_603n,
    block: 32_003n,
    state: 183_600n,
    logs: 1,
  },
  {
    what: 'a new slot that the reservoir pays',
    code: '60015f555a60015500',
    gas: 16_877_216n,
    used: 137_130n,
    block: 39_210n,
    state: 97_920n,
  },
  {
    what: 'a reverted new slot',
    code: '60015f555f5ffd',
    used: 27_109n,
    block: 27_109n,
    state: 0n,
    error: 'execution reverted',
  },
  // EIP-7843, EIP-8024
  { what: 'SLOTNUM', code: '4b00', used: 15_002n, block: 15_002n, state: 0n },
  {
    what: 'DUPN without its words',
    code: 'e680',
    gas: 100_000n,
    used: 100_000n,
    block: 100_000n,
    state: 0n,
    error: 'stack underflow (0 <=> 1)',
  },
  {
    what: 'DUPN with a forbidden operand',
    code: '5fe65b',
    gas: 100_000n,
    used: 100_000n,
    block: 100_000n,
    state: 0n,
    error: 'invalid opcode: DUPN (operand: 0x5b)',
  },
]
