import { formatData, type Hex } from '../../../../base/hex.ts'

/** Code that only runs another account's code. */
export interface PointingCode {
  readonly kind: 'EIP-1167' | 'EIP-7702'
  readonly target: Hex
}

/** The code of a minimal proxy before and after the 20 bytes of its target (EIP-1167). */
const PROXY_HEAD = '363d3d373d3d3d363d73'
const PROXY_TAIL = '5af43d82803e903d91602b57fd5bf3'

/** The code of a delegating account before the target (EIP-7702). */
const DELEGATION_HEAD = 'ef0100'

/** Returns the target of a minimal proxy or delegation; undefined for other code. */
export function pointingCode(code: Uint8Array): PointingCode | undefined {
  const digits = code.length > 64 ? '' : formatData(code).slice(2)
  const between = (head: string, tail: string): Hex | undefined => {
    const target = digits.slice(head.length, head.length + 40)
    return digits === head + target + tail && target.length === 40 ? `0x${target}` : undefined
  }
  const proxied = between(PROXY_HEAD, PROXY_TAIL)
  if (proxied !== undefined) return { kind: 'EIP-1167', target: proxied }
  const delegated = between(DELEGATION_HEAD, '')
  return delegated === undefined ? undefined : { kind: 'EIP-7702', target: delegated }
}
