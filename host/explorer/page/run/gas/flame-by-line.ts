import type { CodeGas } from '../../../browser/step/stepper.ts'
import { type Flame, share } from '../../decode/flame/flame.ts'
import type { RunSources, SourcePosition } from '../../sources/run-sources.ts'

/** Boxes of lines in boxes of their functions, with their names. */
export interface LineFlame {
  readonly root: Flame
  readonly names: ReadonlyMap<string, string>
}

/** The group of code without a source. */
const UNKNOWN = 'code without a source'

interface Group {
  readonly name: string
  gas: bigint
  readonly lines: Map<string, { readonly name: string; gas: bigint }>
}

/** Groups gas by source line. A line's gas excludes that of its calls. */
export function flameByLine(gas: readonly CodeGas[], sources: RunSources): LineFlame {
  const groups = new Map<string, Group>()
  let total = 0n
  for (const { codeHash, pc, gas: used } of gas) {
    // A failing step may report a cost above the available gas.
    const amount = BigInt(Math.max(0, Math.round(used)))
    const position = sources.positionOf({ codeHash, pc })
    const name = groupOf(position)
    const group = groups.get(name) ?? { name, gas: 0n, lines: new Map() }
    groups.set(name, group)
    group.gas += amount
    total += amount
    if (position === undefined) continue
    const key = `${position.path}:${position.line}`
    const line = group.lines.get(key) ?? { name: key, gas: 0n }
    group.lines.set(key, line)
    line.gas += amount
  }
  return flameOf(total, [...groups.values()].sort(byGas))
}

function groupOf(position: SourcePosition | undefined): string {
  if (position === undefined) return UNKNOWN
  return position.functionName ?? position.path
}

function flameOf(total: bigint, groups: readonly Group[]): LineFlame {
  const names = new Map([['all', 'all code']])
  let at = 0n
  const children = groups.map((group): Flame => {
    const key = `function ${group.name}`
    names.set(key, group.name)
    let inner = at
    const lines = [...group.lines.values()].sort(byGas).map((line): Flame => {
      const lineKey = `line ${line.name} ${group.name}`
      names.set(lineKey, line.name)
      const box = boxOf(lineKey, line.gas, inner, total, 2, [])
      inner += line.gas
      return box
    })
    const box = boxOf(key, group.gas, at, total, 1, lines)
    at += group.gas
    return box
  })
  return { root: boxOf('all', total, 0n, total, 0, children), names }
}

function boxOf(
  key: string,
  gas: bigint,
  start: bigint,
  whole: bigint,
  depth: number,
  children: readonly Flame[],
): Flame {
  const below = children.reduce((sum, child) => sum + child.total, 0n)
  return {
    key,
    call: undefined,
    count: 0,
    isFailed: false,
    total: gas,
    self: gas - below,
    start: share(start, whole),
    width: share(gas, whole),
    depth,
    children,
  }
}

function byGas(a: { readonly gas: bigint }, b: { readonly gas: bigint }): number {
  return a.gas === b.gas ? 0 : a.gas < b.gas ? 1 : -1
}
