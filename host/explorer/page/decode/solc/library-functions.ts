import type { AbiParameter } from 'viem'
import type { Hex } from '../../../../base/hex.ts'
import type { AbiItem } from '../abi/abi-item.ts'
import { field, listField, textField } from '../format/json-field.ts'
import type { EnumMembers } from '../storage/layout.ts'

/** No source nests deeper, but an external AST might. */
const MAX_DEPTH = 32

/** The functions of a library that the JSON ABI leaves out or names by types that are not ABI types. */
export type LibraryFunctions = ReadonlyMap<string, readonly AbiItem[]>

/**
 * Returns the external functions of all libraries, by the name of the library, from the ASTs of a compilation. A
 * parameter in storage is the number of its slot.
 */
export function libraryFunctions(asts: readonly unknown[], enums: EnumMembers): LibraryFunctions {
  const definitions = asts.flatMap((ast) => listField(ast, 'nodes'))
  const contracts = definitions.filter(
    (node) => textField(node, 'nodeType') === 'ContractDefinition',
  )
  const members = contracts.flatMap((node) => listField(node, 'nodes'))
  const structs = new Map<unknown, unknown>(
    [...definitions, ...members]
      .filter((node) => textField(node, 'nodeType') === 'StructDefinition')
      .map((node) => [field(node, 'id'), node]),
  )
  const found = new Map<string, readonly AbiItem[]>()
  for (const contract of contracts) {
    if (textField(contract, 'contractKind') !== 'library') continue
    const name = textField(contract, 'name') ?? ''
    const items = listField(contract, 'nodes').flatMap(
      (node) => libraryItem(node, name, structs, enums) ?? [],
    )
    if (items.length > 0) found.set(name, items)
  }
  return found
}

function libraryItem(
  node: unknown,
  source: string,
  structs: ReadonlyMap<unknown, unknown>,
  enums: EnumMembers,
): AbiItem | undefined {
  const selector = textField(node, 'functionSelector')
  const name = textField(node, 'name') ?? ''
  if (selector === undefined || !/^[0-9a-f]{8}$/.test(selector)) return undefined
  if (!/^[A-Za-z_$][\w$]{0,255}$/.test(name)) return undefined
  const listOf = (list: 'parameters' | 'returnParameters') =>
    listField(node, list, 'parameters').map((one) => variableParameter(one, structs, enums))
  const inputs = listOf('parameters')
  const outputs = listOf('returnParameters')
  if (!inputs.every((input) => input !== undefined)) return undefined
  const types = inputs.map((input) => input.internalType ?? input.type)
  return {
    kind: 'function',
    name,
    signature: `${name}(${types.join(',')})`,
    selector: `0x${selector}` as Hex,
    inputs,
    outputs: outputs.every((output) => output !== undefined) ? outputs : undefined,
    isPayable: false,
    isAnonymous: false,
    origin: 'contract',
    source,
  }
}

function variableParameter(
  variable: unknown,
  structs: ReadonlyMap<unknown, unknown>,
  enums: EnumMembers,
): AbiParameter | undefined {
  const name = textField(variable, 'name') ?? ''
  const named = /^[A-Za-z_$][\w$]{0,255}$/.test(name) ? { name } : {}
  const label = textField(variable, 'typeDescriptions', 'typeString') ?? ''
  if (textField(variable, 'storageLocation') === 'storage') {
    return { ...named, type: 'uint256', internalType: typeLabel(label) } as AbiParameter
  }
  const found = typeParameter(field(variable, 'typeName'), structs, enums, 0)
  return found && ({ ...found, ...named, internalType: typeLabel(label) } as AbiParameter)
}

/** Types are shown as they are: only characters that cannot mislead. */
function typeLabel(label: string): string {
  return label
    .replace(/ (pointer|ref)$/, '')
    .replace(/[^\w$.,=> ()[\]]/g, '?')
    .slice(0, 300)
}

function typeParameter(
  type: unknown,
  structs: ReadonlyMap<unknown, unknown>,
  enums: EnumMembers,
  depth: number,
): AbiParameter | undefined {
  if (depth > MAX_DEPTH) return undefined
  const label = textField(type, 'typeDescriptions', 'typeString') ?? ''
  switch (textField(type, 'nodeType')) {
    case 'ElementaryTypeName':
      return { type: label.replace(/ payable$/, '') }
    case 'ArrayTypeName': {
      const base = typeParameter(field(type, 'baseType'), structs, enums, depth + 1)
      const length = /\[(\d*)\][^[\]]*$/.exec(label)?.[1]
      return base && length !== undefined ? { ...base, type: `${base.type}[${length}]` } : undefined
    }
    case 'UserDefinedTypeName': {
      if (label.startsWith('contract ')) return { type: 'address' }
      if (label.startsWith('enum ')) {
        const members = enums.get(label.slice('enum '.length))
        return { type: 'uint8', ...(members && { enumMembers: members }) } as AbiParameter
      }
      const struct = structs.get(field(type, 'referencedDeclaration'))
      if (struct === undefined) return undefined
      const components = listField(struct, 'members').map((member) => {
        const found = typeParameter(field(member, 'typeName'), structs, enums, depth + 1)
        return found && { ...found, name: textField(member, 'name') ?? '' }
      })
      return components.every((one) => one !== undefined)
        ? ({ type: 'tuple', components } as AbiParameter)
        : undefined
    }
    default:
      return undefined
  }
}
