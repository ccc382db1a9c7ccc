import { bytesToBigint } from '../../../host/base/bytes.ts'
import { CONSOLE_ADDRESS } from '../../../host/evm/trace/tracers/console-call.ts'
import { assemble } from '../engine/bytecode.ts'

/** Hands its call data to console.log, as console.sol does. */
const LOG = [
  ...['CALLDATASIZE', 0, 0, 'CALLDATACOPY'],
  ...[0, 0, 'CALLDATASIZE', 0, bytesToBigint(CONSOLE_ADDRESS), 'GAS', 'STATICCALL', 'POP'],
] as const

/** A contract that logs what it is called with. */
export const LOGGER: Uint8Array = assemble(...LOG, 'STOP')

/** One that logs and takes back all else. */
export const LOGGER_THAT_REVERTS: Uint8Array = assemble(...LOG, 0, 0, 'REVERT')
