import { countField, field, listField, textField } from '../format/json-field.ts'

/** How a frame reverted, as far as it tells the kind of expression that failed. */
export type RevertKind =
  /** `operator` is the checked one, if the steps tell it. */
  | { readonly kind: 'panic'; readonly code: number; readonly operator?: '+' | '-' | '*' }
  | { readonly kind: 'error'; readonly selector: string }
  | { readonly kind: 'reason'; readonly text: string }
  | { readonly kind: 'empty' }

/** A range of a file, in bytes. */
export interface SourceRange {
  readonly path: string
  readonly start: number
  readonly end: number
}

type Node = Record<string, unknown>

interface Place {
  readonly node: Node
  readonly range: SourceRange
}

/** Internal calls to follow from a function. */
const MAX_CALLS = 64

/** Statements and expressions of ASTs, searched for those that can fail in a certain way. */
export class FailingNodes {
  readonly #functions: readonly Place[]
  readonly #byId = new Map<number, Place>()

  /** `asts` by path; those before 0.8 have no fitting nodes. */
  constructor(asts: ReadonlyMap<string, unknown>) {
    const functions: Place[] = []
    for (const [path, ast] of asts) {
      visit(ast, (node, kind) => {
        if (!DECLARATIONS.has(kind)) return
        const place = { node, range: rangeOf(node, path) }
        const id = countField(node, 'id')
        if (id !== undefined) this.#byId.set(id, place)
        if (kind !== 'ErrorDefinition') functions.push(place)
      })
    }
    this.#functions = functions
  }

  /** Returns the function with a selector, or the constructor of a contract if there is none. */
  entry(selector: string | undefined, contract: string): SourceRange | undefined {
    const fitting = this.#functions.filter(({ node }) =>
      selector === undefined
        ? textField(node, 'kind') === 'constructor' && this.#isOf(node, contract)
        : textField(node, 'functionSelector') === selector && field(node, 'implemented') === true,
    )
    const own = fitting.find(({ node }) => this.#isOf(node, contract))
    return (own ?? (fitting.length === 1 ? fitting[0] : undefined))?.range
  }

  /**
   * Returns what failed: the expression of the kind in a range, or around it; else the first after its start in the
   * same function, its modifiers and the functions that it calls. Undefined if there is none. `checks` of the kind ran
   * from the range on, if that is known: the last of them failed.
   */
  failing(range: SourceRange, revert: RevertKind, checks = 1): SourceRange | undefined {
    const home = this.#functionAt(range)
    if (home === undefined) return undefined
    const inside = this.#candidates(home, revert)
    const counted = this.#counted(home, range, revert, checks)
    if (
      counted !== undefined &&
      inside.some((one) => isWithin(one, counted) && isWithin(counted, one))
    ) {
      return counted
    }
    const here =
      inside.find((one) => isWithin(one, range)) ?? inside.find((one) => isWithin(range, one))
    const next = here ?? inside.find((one) => one.start >= range.start)
    if (next !== undefined) return next
    const seen = new Set([home])
    for (const place of seen) {
      const [found] = place === home ? [] : this.#candidates(place, revert)
      if (found !== undefined) return found
      if (seen.size < MAX_CALLS) for (const called of this.#calledBy(place)) seen.add(called)
    }
    return undefined
  }

  isSameFunction(one: SourceRange, other: SourceRange): boolean {
    return this.#functionAt(one) === this.#functionAt(other)
  }

  /** Returns the only Yul `revert` of an assembly block whose range is given. */
  yulRevert(range: SourceRange): SourceRange | undefined {
    const home = this.#functionAt(range)
    if (home === undefined) return undefined
    const found: SourceRange[] = []
    visit(home.node, (node, kind) => {
      if (kind !== 'YulFunctionCall') return
      if (textField(node, 'functionName', 'name') !== 'revert') return
      const one = rangeOf(node, range.path)
      if (isWithin(one, range)) found.push(one)
    })
    return found.length === 1 ? found[0] : undefined
  }

  /** Returns the expression of the last of some checks, in order of evaluation. */
  #counted(
    home: Place,
    range: SourceRange,
    revert: RevertKind,
    checks: number,
  ): SourceRange | undefined {
    if (checks < 2) return undefined
    const any: RevertKind = revert.kind === 'panic' ? { kind: 'panic', code: revert.code } : revert
    return this.#candidates(home, any)
      .filter(({ end }) => end > range.start)
      .sort((a, b) => a.end - b.end || b.start - a.start)[checks - 1]
  }

  #isOf(node: Node, contract: string): boolean {
    const scope = this.#byId.get(countField(node, 'scope') ?? -1)
    return textField(scope?.node, 'name') === contract
  }

  #functionAt(range: SourceRange): Place | undefined {
    return this.#functions.find((one) => isFunction(one.node) && isWithin(range, one.range))
  }

  #candidates({ node: home, range: { path } }: Place, revert: RevertKind): SourceRange[] {
    const found: SourceRange[] = []
    visit(home, (node, kind, isUnchecked) => {
      if (this.#canFail(node, kind, revert, isUnchecked)) found.push(rangeOf(node, path))
    })
    // A longer one with the same start contains the others.
    return found.sort((a, b) => a.start - b.start || a.end - b.end)
  }

  #canFail(node: Node, kind: string, revert: RevertKind, isUnchecked: boolean): boolean {
    if (revert.kind === 'panic') {
      return revert.code === 0x51
        ? kind === 'FunctionCall' && this.#isPointer(field(node, 'expression'))
        : canPanic(node, kind, revert, isUnchecked)
    }
    if (kind === 'RevertStatement') {
      return revert.kind === 'error' && this.#hasError(field(node, 'errorCall'), revert.selector)
    }
    if (kind !== 'FunctionCall') return false
    const name = textField(node, 'expression', 'name')
    const args = listField(node, 'arguments')
    const reason = name === 'require' ? args[1] : name === 'revert' ? args[0] : undefined
    if (name !== 'require' && name !== 'revert') return false
    if (revert.kind === 'empty') return reason === undefined
    if (reason === undefined) return false
    if (revert.kind === 'error') return this.#hasError(reason, revert.selector)
    const literal = textField(reason, 'value')
    return literal === undefined ? !isErrorCall(reason) : literal === revert.text
  }

  #hasError(call: unknown, selector: string): boolean {
    const expression = field(call, 'expression')
    const error = this.#byId.get(countField(expression, 'referencedDeclaration') ?? -1)
    return textField(error?.node, 'errorSelector') === selector
  }

  /** An internal function type that does not name a function: a variable. */
  #isPointer(called: unknown): boolean {
    const type = textField(called, 'typeDescriptions', 'typeIdentifier') ?? ''
    const id = countField(called, 'referencedDeclaration') ?? -1
    return type.startsWith('t_function_internal') && !this.#byId.has(id)
  }

  #calledBy({ node: home }: Place): readonly Place[] {
    const found: Place[] = []
    visit(home, (node, kind) => {
      const called =
        kind === 'FunctionCall'
          ? field(node, 'expression')
          : kind === 'ModifierInvocation'
            ? field(node, 'modifierName')
            : undefined
      const place = this.#byId.get(countField(called, 'referencedDeclaration') ?? -1)
      if (place !== undefined && isFunction(place.node)) found.push(place)
    })
    return found
  }
}

const DECLARATIONS: ReadonlySet<string> = new Set([
  'ContractDefinition',
  'ErrorDefinition',
  'FunctionDefinition',
  'ModifierDefinition',
])

function isFunction(node: Node): boolean {
  return textField(node, 'nodeType')?.startsWith('Contract') !== true
}

function isErrorCall(node: unknown): boolean {
  return typeOf(node) === 'error'
}

/** Kinds of expressions by panic code (docs.soliditylang.org, "Panic via assert and Error via require"). */
function canPanic(
  node: Node,
  kind: string,
  { code, operator }: Extract<RevertKind, { kind: 'panic' }>,
  isUnchecked: boolean,
): boolean {
  switch (code) {
    case 0x01:
      return kind === 'FunctionCall' && textField(node, 'expression', 'name') === 'assert'
    case 0x11: {
      if (isUnchecked || !ARITHMETIC.has(kind)) return false
      const own = textField(node, 'operator')?.[0] ?? ''
      return CHECKED.includes(own) && (operator === undefined || own === operator)
    }
    case 0x12:
      return ARITHMETIC.has(kind) && /^[/%]/.test(textField(node, 'operator') ?? '')
    case 0x21:
      return kind === 'FunctionCall' && textField(node, 'kind') === 'typeConversion' && isEnum(node)
    case 0x31:
      return kind === 'MemberAccess' && textField(node, 'memberName') === 'pop'
    case 0x32:
      return (kind === 'IndexAccess' || kind === 'IndexRangeAccess') && !isMapping(node)
    case 0x41:
      return kind === 'NewExpression'
    default:
      return false
  }
}

const ARITHMETIC: ReadonlySet<string> = new Set(['BinaryOperation', 'UnaryOperation', 'Assignment'])
const CHECKED: readonly string[] = ['+', '-', '*']

function typeOf(node: unknown): string {
  return textField(node, 'typeDescriptions', 'typeString') ?? ''
}

function isEnum(node: Node): boolean {
  return typeOf(node).startsWith('enum ')
}

function isMapping(node: Node): boolean {
  return typeOf(field(node, 'baseExpression')).startsWith('mapping')
}

function rangeOf(node: Node, path: string): SourceRange {
  const [start = 0, length = 0] = (textField(node, 'src') ?? '').split(':').map(Number)
  return { path, start, end: start + length }
}

function isWithin(inner: SourceRange, outer: SourceRange): boolean {
  return inner.path === outer.path && inner.start >= outer.start && inner.end <= outer.end
}

/** No source nests deeper, but an external AST might. */
const MAX_DEPTH = 256

/** Visits the nodes of an AST in source order of their statements. */
function visit(root: unknown, see: (node: Node, kind: string, isUnchecked: boolean) => void): void {
  const enter = (value: unknown, depth: number, isUnchecked: boolean) => {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return
    if (Array.isArray(value)) {
      for (const one of value) enter(one, depth + 1, isUnchecked)
      return
    }
    const node = value as Node
    const kind = textField(node, 'nodeType')
    const inner = isUnchecked || kind === 'UncheckedBlock'
    if (kind !== undefined) see(node, kind, inner)
    for (const child of Object.values(node)) enter(child, depth + 1, inner)
  }
  enter(root, 0, false)
}
