import type { TomlLiteral } from '../../base/config/value-type.ts'

/**
 * Settings of app.toml that a new dev home changes: simulations may use the whole block gas, log ranges and traces
 * are unlimited, and transactions are indexed by address.
 */
export const DEV_CONFIG: Readonly<Record<string, TomlLiteral>> = {
  'evm.address-index': true,
  'evm.max-log-no-block': 0,
  'evm.simulation-gas-limit': 0,
  // 1 TiB: above any trace.
  'evm.max-trace-struct-log-bytes': 1_099_511_627_776,
}

/** Settings that the new home of an imported chain changes: every state is kept. */
export const ARCHIVE_CONFIG: Readonly<Record<string, TomlLiteral>> = {
  'state-store.ss-keep-recent': 0,
}
