import { type AbiMember, type PolicyAbiType, tupleOf } from './abi-type.ts'
import type { AbiValue } from './canonical-abi.ts'
import type { PolicyScalar, ScalarType } from './scalar.ts'

/** A step into a value: to a member of a tuple, to one item of an array, or to every item. */
export type Step =
  | { readonly to: 'member'; readonly index: number; readonly name: string }
  | { readonly to: 'item'; readonly index: number }
  | { readonly to: 'each' }

/** Path of a rule's field to its values. */
export interface ValuePath {
  readonly steps: readonly Step[]
  readonly leaf: PolicyAbiType
  readonly type: ScalarType
}

const SEGMENT = /^([A-Za-z_$][\w$]*)((?:\[(?:0|[1-9][0-9]{0,8}|\*)\])*)$/

const LEAVES: Readonly<Record<PolicyAbiType['kind'], ScalarType | undefined>> = {
  uint: 'integer',
  int: 'integer',
  address: 'address',
  bool: 'bool',
  bytes: 'bytes',
  word: 'bytes',
  string: 'text',
  array: undefined,
  tuple: undefined,
}

/** Returns the path of `a.b[0].c[*]` from `members`, or the reason why there is none, phrased to follow the field. */
export function findPath(path: string, members: readonly AbiMember[]): ValuePath | string {
  const steps: Step[] = []
  let type: PolicyAbiType = tupleOf(members)
  for (const segment of path.split('.')) {
    const [, name, indexes = ''] = SEGMENT.exec(segment) ?? []
    if (name === undefined) return `has an invalid part: ${JSON.stringify(segment)}`
    if (type.kind !== 'tuple') return `has ${name} after a value without members`
    const found: readonly AbiMember[] = type.members.filter((member) => member.name === name)
    if (found.length !== 1) {
      const known = type.members.map((member) => member.name || '(no name)').join(', ')
      return `has ${found.length === 0 ? 'no' : 'more than one'} member ${name} among ${known}`
    }
    const [member] = found as [AbiMember]
    steps.push({ to: 'member', index: type.members.indexOf(member), name })
    type = member.type
    for (const [, index] of indexes.matchAll(/\[([0-9]+|\*)\]/g)) {
      if (type.kind !== 'array') return `has an index after ${name}, which is not an array there`
      if (index !== '*' && type.length !== undefined && Number(index) >= type.length) {
        return `has the index ${index} after ${name}, which has ${type.length} items`
      }
      steps.push(index === '*' ? { to: 'each' } : { to: 'item', index: Number(index) })
      type = type.item
    }
  }
  const leaf = LEAVES[type.kind]
  if (leaf !== undefined) return { steps, leaf: type, type: leaf }
  if (type.kind !== 'tuple') return 'is an array: write the index of an item, or [*] for each'
  return `is a tuple: go on to one of ${type.members.map(({ name }) => name).join(', ')}`
}

/** Returns the values at a path. An array without the indexed item has no values. */
export function followPath(value: AbiValue, steps: readonly Step[]): readonly PolicyScalar[] {
  let reached: readonly AbiValue[] = [value]
  for (const step of steps) {
    reached = reached.flatMap((each) => {
      const list = each as readonly AbiValue[]
      if (step.to === 'each') return list
      const next = list[step.index]
      return next === undefined ? [] : [next]
    })
  }
  return reached as readonly PolicyScalar[]
}
