import { bytesToBigint } from '../../../host/base/bytes.ts'
import { CONSOLE_ADDRESS } from '../../../host/evm/trace/tracers/console-call.ts'
import { assemble } from '../engine/bytecode.ts'

/** Passes its call data to console.log, as console.sol does. */
const LOG = [
  ...['CALLDATASIZE', 0, 0, 'CALLDATACOPY'],
  ...[0, 0, 'CALLDATASIZE', 0, bytesToBigint(CONSOLE_ADDRESS), 'GAS', 'STATICCALL', 'POP'],
] as const

/** A contract that logs its call data. */
export const LOGGER: Uint8Array = assemble(...LOG, 'STOP')

/** A contract that logs its call data and reverts. */
export const LOGGER_THAT_REVERTS: Uint8Array = assemble(...LOG, 0, 0, 'REVERT')
