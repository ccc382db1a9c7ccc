import type { TomlLiteral } from '../config/value-type.ts'

/** What app.toml of a new developer's home says otherwise: what a block takes, a simulation takes. */
export const DEV_CONFIG: Readonly<Record<string, TomlLiteral>> = {
  'evm.simulation-gas-limit': 0,
}
