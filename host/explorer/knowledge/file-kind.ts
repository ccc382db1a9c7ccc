/** What a file that was dropped on the page is. */
export type FileKind =
  | { readonly kind: 'bundle' }
  /** Entries of ABIs: of one contract, or of all that a compiler's output has. */
  | { readonly kind: 'abi'; readonly entries: readonly unknown[] }
  | { readonly kind: 'unknown'; readonly why: string }

/** Tells by its members what parsed JSON is: a bundle, an ABI, an artifact of Foundry or Hardhat, the compiler's output. */
export function fileKind(json: unknown): FileKind {
  if (Array.isArray(json)) {
    return json.some((entry) => isRecord(entry) && typeof entry.type === 'string')
      ? { kind: 'abi', entries: json }
      : unknownFile('a list without an entry that has a type')
  }
  if (!isRecord(json)) return unknownFile('no object and no list')
  if (isRecord(json.bundle)) return { kind: 'bundle' }
  if (isRecord(json.result) && isRecord(json.result.bundle)) return { kind: 'bundle' }
  const entries = abisIn(json)
  return entries.length > 0
    ? { kind: 'abi', entries }
    : unknownFile('an object without a bundle, an ABI or contracts')
}

function abisIn(json: Readonly<Record<string, unknown>>): unknown[] {
  if (Array.isArray(json.abi)) return json.abi
  const output = isRecord(json.output) ? json.output : json
  if (!isRecord(output.contracts)) return []
  const byFile = Object.values(output.contracts).filter(isRecord)
  return byFile.flatMap((contracts) =>
    Object.values(contracts).flatMap((one) =>
      isRecord(one) && Array.isArray(one.abi) ? one.abi : [],
    ),
  )
}

function unknownFile(found: string): FileKind {
  return {
    kind: 'unknown',
    why: `${found}. It takes a bundle (of lockstep record or debug_traceStateAccess), an ABI, an artifact with one, or the compiler’s output.`,
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
