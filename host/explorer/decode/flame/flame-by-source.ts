import type { Hex } from '../../../base/hex.ts'
import type { CodeGas } from '../../../browser/stepper.ts'
import { type Flame, share } from './flame.ts'

/** Where gas was used, from the outermost: contract, function, line. */
export interface GasPlace {
  readonly contract: string
  /** Undefined for code outside of functions: the compiler's own, and that of contracts without sources. */
  readonly functionName: string | undefined
  /** Undefined where no source is there. */
  readonly path: string | undefined
  readonly line: number | undefined
}

/** A box of gas by source: its name, and the line that it is, if it is one. */
export interface SourceFlame extends Flame {
  readonly name: string
  readonly place: GasPlace | undefined
  readonly children: readonly SourceFlame[]
}

interface Box {
  readonly name: string
  readonly place: GasPlace | undefined
  gas: number
  readonly inner: Map<string, Box>
}

const OUTSIDE = 'code outside of functions'

function innerBox(outer: Box, key: string, name: string, place: GasPlace | undefined): Box {
  const found = outer.inner.get(key)
  if (found !== undefined) return found
  const box: Box = { name, place, gas: 0, inner: new Map() }
  outer.inner.set(key, box)
  return box
}

/**
 * Gas by contract, function and line, what calls did not counted to their callers: the most first. `placeOf` says
 * where an instruction comes from.
 */
export function flameBySource(
  used: readonly CodeGas[],
  placeOf: (codeHash: Hex, pc: number) => GasPlace,
): SourceFlame {
  const root: Box = { name: 'all code', place: undefined, gas: 0, inner: new Map() }
  const places = new Map<string, GasPlace>()
  for (const { codeHash, pc, gas } of used) {
    const key = `${codeHash} ${pc}`
    const place = places.get(key) ?? placeOf(codeHash, pc)
    places.set(key, place)
    const contract = innerBox(root, place.contract, place.contract, undefined)
    const name = place.functionName ?? OUTSIDE
    const inFunction = innerBox(contract, `${name} ${place.path}`, name, undefined)
    const boxes = [root, contract, inFunction]
    if (place.line !== undefined) {
      const line = `${place.path}:${place.line}`
      boxes.push(innerBox(inFunction, line, line, place))
    }
    for (const box of boxes) box.gas += gas
  }
  return build(root, '', 0, 0, root.gas)
}

function build(box: Box, key: string, start: number, depth: number, whole: number): SourceFlame {
  const inner = [...box.inner].sort(([, a], [, b]) => b.gas - a.gas)
  const children: SourceFlame[] = []
  let at = start
  for (const [name, child] of inner) {
    children.push(build(child, `${key}/${name}`, at, depth + 1, whole))
    at += child.gas
  }
  return {
    key,
    call: undefined,
    name: box.name,
    place: box.place,
    total: BigInt(box.gas),
    self: BigInt(box.gas - (at - start)),
    start: share(BigInt(start), BigInt(whole)),
    width: share(BigInt(box.gas), BigInt(whole)),
    depth,
    children,
  }
}
