import { hexDigits, parseData } from '../../host/base/hex.ts'
import { assembleProgram, type Instruction } from './program.ts'
import type { Scenario } from './scenario.ts'

/** Formats a scenario as JSON for a file: bytes as `0x...`, bigints as `#...`. */
export function formatScenario(scenario: Scenario): string {
  return JSON.stringify(
    scenario,
    (_key, value: unknown) => {
      if (typeof value === 'bigint') return `#${value}`
      if (value instanceof Uint8Array) return `0x${hexDigits(value)}`
      if (isProgram(value)) return [{ bytes: `0x${hexDigits(assembleProgram(value))}` }]
      return value
    },
    2,
  )
}

/** Parses the output of `formatScenario`. */
export function parseScenario(text: string): Scenario {
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== 'string') return value
    if (value.startsWith('#')) return BigInt(value.slice(1))
    return value.startsWith('0x') ? parseData(value) : value
  }) as Scenario
}

function isProgram(value: unknown): value is readonly Instruction[] {
  const first = Array.isArray(value) ? (value[0] as unknown) : undefined
  if (typeof first !== 'object' || first === null) return false
  return 'bytes' in first || 'label' in first || 'target' in first
}
