import { field, listField, textField } from '../format/json-field.ts'
import { type AstIndex, isAround, kindOfNode, parametersOf, rangeOfNode } from './ast-index.ts'

/** A variable on the stack of a function. */
export interface LocalVariable {
  readonly name: string
  /** As Solidity writes it: `uint256[] memory`. */
  readonly type: string
  /** Its declaration, for the decoder of its value. */
  readonly declaration: unknown
  /** Distance of its lowest word from the first parameter. */
  readonly place: number
  /** Words on the stack. */
  readonly size: number
  readonly role: 'parameter' | 'result' | 'local'
}

/** The variables that a function has on the stack at a place of the source. */
export interface FunctionVariables {
  readonly variables: readonly LocalVariable[]
  /** Words that its parameters take. */
  readonly parameterSize: number
  /** False if what precedes the locals is unknown, so that they are left out. */
  readonly hasLocals: boolean
}

/** Collects variables in the order in which the compiler pushes them. */
class Layout {
  readonly variables: LocalVariable[] = []
  #next = 0

  get size(): number {
    return this.#next
  }

  push(declaration: unknown, role: LocalVariable['role']): void {
    const type = variableType(declaration)
    const size = stackSize(type)
    const name = textField(declaration, 'name') ?? ''
    if (name !== '') {
      this.variables.push({ name, type, declaration, place: this.#next, size, role })
    }
    this.#next += size
  }
}

/**
 * Returns the variables that are in scope at a byte of `path`, in code of the legacy pipeline: it keeps parameters,
 * results and locals on the stack in the order of their declarations, after those of the modifiers around them.
 */
export function variablesAt(
  index: AstIndex,
  definition: unknown,
  path: string,
  byte: number,
): FunctionVariables {
  const layout = new Layout()
  for (const one of parametersOf(definition, 'parameters')) layout.push(one, 'parameter')
  const parameterSize = layout.size
  for (const one of parametersOf(definition, 'returnParameters')) layout.push(one, 'result')
  const body = field(definition, 'body')
  const around = index.functionAt(path, byte)
  for (const invocation of listField(definition, 'modifiers')) {
    const id = field(invocation, 'modifierName', 'referencedDeclaration')
    const modifier = index.node(id)
    // Constructors of bases are listed too; they are no modifiers.
    if (kindOfNode(modifier) !== 'ModifierDefinition') continue
    const isKnown = field(modifier, 'virtual') !== true
    if (!isKnown) return { variables: layout.variables, parameterSize, hasLocals: false }
    for (const one of parametersOf(modifier, 'parameters')) layout.push(one, 'local')
    if (around === modifier) {
      pushVisible(field(modifier, 'body'), byte, layout)
      return { variables: layout.variables, parameterSize, hasLocals: true }
    }
    const placeholder = placeholderOf(field(modifier, 'body'), 0)
    if (placeholder === undefined) break
    const before = new Layout()
    pushVisible(field(modifier, 'body'), placeholder, before)
    for (const { declaration } of before.variables) layout.push(declaration, 'local')
  }
  if (around === definition && isAround(rangeOfNode(body), byte)) pushVisible(body, byte, layout)
  return { variables: layout.variables, parameterSize, hasLocals: true }
}

/** No source nests deeper, but an external AST might. */
const MAX_DEPTH = 64

/** Pushes the variables of a statement that are in scope at a byte. */
function pushVisible(statement: unknown, byte: number, layout: Layout, depth = 0): void {
  if (depth > MAX_DEPTH) return
  const inner = (one: unknown): void => {
    if (isAround(rangeOfNode(one), byte)) pushVisible(one, byte, layout, depth + 1)
  }
  switch (kindOfNode(statement)) {
    case 'Block':
    case 'UncheckedBlock':
      for (const one of listField(statement, 'statements')) {
        pushDeclared(one, byte, layout)
        inner(one)
      }
      break
    case 'IfStatement':
      for (const name of ['trueBody', 'falseBody']) inner(field(statement, name))
      break
    case 'ForStatement':
      pushDeclared(field(statement, 'initializationExpression'), byte, layout)
      inner(field(statement, 'body'))
      break
    case 'WhileStatement':
    case 'DoWhileStatement':
      inner(field(statement, 'body'))
      break
    case 'TryStatement':
      for (const clause of listField(statement, 'clauses')) {
        const block = field(clause, 'block')
        if (!isAround(rangeOfNode(block), byte)) continue
        for (const one of parametersOf(clause, 'parameters')) layout.push(one, 'local')
        inner(block)
      }
      break
  }
}

/** Pushes the variables of a declaration that has ended before a byte. */
function pushDeclared(statement: unknown, byte: number, layout: Layout): void {
  if (kindOfNode(statement) !== 'VariableDeclarationStatement') return
  if (rangeOfNode(statement).end > byte) return
  for (const one of listField(statement, 'declarations'))
    if (one !== null) layout.push(one, 'local')
}

/** Returns the place of `_` in a modifier. */
function placeholderOf(node: unknown, depth: number): number | undefined {
  if (depth > MAX_DEPTH || typeof node !== 'object' || node === null) return undefined
  if (kindOfNode(node) === 'PlaceholderStatement') return rangeOfNode(node).start
  for (const child of Object.values(node)) {
    for (const one of Array.isArray(child) ? child : [child]) {
      const found = placeholderOf(one, depth + 1)
      if (found !== undefined) return found
    }
  }
  return undefined
}

export function variableType(declaration: unknown): string {
  const type = textField(declaration, 'typeDescriptions', 'typeString') ?? ''
  const location = textField(declaration, 'storageLocation') ?? 'default'
  return location === 'default' || type.endsWith(` ${location}`) ? type : `${type} ${location}`
}

/** Returns the words of a type on the stack. */
function stackSize(type: string): number {
  if (/^function .*\bexternal\b/.test(type)) return 2
  return /(\[\]|^bytes|^string) calldata$/.test(type) ? 2 : 1
}
