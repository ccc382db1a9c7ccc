import { compileOnce } from '../../../support/contracts/solc.ts'

/** A function of a compiled contract: its ABI entry and its selector by the compiler. */
export interface CompiledFunction {
  readonly entry: { readonly name: string; readonly inputs: readonly object[] }
  /** Such as `f12(uint256,(bool,address)[2])`. */
  readonly signature: string
  /** 8 hex digits. */
  readonly selector: string
}

const STRUCTS = 12
const LAYER = 4

/** Returns declarations of enums, contracts, value types, and structs of all of these and of each other. */
function declarations(draw: (below: number) => number): string {
  const structs = Array.from({ length: STRUCTS }, (_, at) => {
    const members = Array.from(
      { length: 1 + draw(4) },
      // Structs of a layer have members from the layer below, so that their expanded form stays short.
      (_, index) => `${drawnType(draw, at - (at % LAYER), LAYER)} m${index};`,
    )
    return `struct S${at} { ${members.join(' ')} }`
  })
  return `
interface Other { function other() external; }
enum Outside { A, B }
type Fixed is bytes7;
library Types {
  enum Kind { A, B, C }
  type Price is uint72;
  ${structs.join('\n  ')}
}`
}

/** Returns a Solidity type. A struct is one of the last `choice` below the number `structs`. */
function drawnType(
  draw: (below: number) => number,
  structs: number,
  choice: number = structs,
  depth = 0,
): string {
  const kind = draw(depth < 3 ? 14 : 11)
  const bits = 8 * (1 + draw(32))
  const own = ['Types.Kind', 'Outside', 'Other', 'Types.Price', 'Fixed', 'Types.Kind', 'Other']
  if (kind < 2) return `${['uint', 'int'][kind]}${draw(3) === 0 ? '' : bits}`
  if (kind < 4) return ['address', 'address payable', 'bool'][draw(3)] as string
  if (kind < 5) return `bytes${1 + draw(32)}`
  if (kind < 7) return ['string', 'bytes'][kind - 5] as string
  if (kind < 9) return own[draw(own.length)] as string
  if (kind < 10) return drawnCallback(draw)
  if (kind < 11) return structs > 0 ? `Types.S${structs - 1 - draw(choice)}` : 'bool'
  const length = draw(2) === 0 ? '' : `${1 + draw(3)}`
  return `${drawnType(draw, structs, choice, depth + 1)}[${length}]`
}

/** Returns a function type. Its arguments and results are not part of its ABI name. */
function drawnCallback(draw: (below: number) => number): string {
  const takes = ['', 'uint256', 'Types.Kind, bytes memory', 'address[] memory'][draw(4)]
  const suffix = ['', ' view', ' payable', ' view returns (bool)'][draw(4)]
  return `function (${takes}) external${suffix}`
}

/** Returns the data location of a reference type in a parameter, or nothing for a value type. */
function locationOf(type: string, location: string): string {
  const isReference = /\]$|^Types\.S|^string$|^bytes$/.test(type)
  return isReference ? ` ${location}` : ''
}

function parameters(draw: (below: number) => number, location: string): string {
  return Array.from({ length: draw(5) }, (_, at) => {
    const type = drawnType(draw, STRUCTS)
    // Arrays of value types in storage crash the compiler (0.8.37).
    const chosen = /Price|Fixed/.test(type) && location === 'storage' ? 'memory' : location
    return `${type}${locationOf(type, chosen)} p${at}`
  }).join(', ')
}

interface Output {
  readonly contracts: Readonly<
    Record<
      string,
      Record<
        string,
        {
          readonly abi: readonly (CompiledFunction['entry'] & { readonly type: string })[]
          readonly evm: { readonly methodIdentifiers: Readonly<Record<string, string>> }
        }
      >
    >
  >
}

function compile(content: string): Output {
  const outputSelection = { '*': { '*': ['abi', 'evm.methodIdentifiers'] } }
  const sources = { 'drawn.sol': { content } }
  const input = { language: 'Solidity', sources, settings: { outputSelection } }
  return JSON.parse(compileOnce(JSON.stringify(input))) as Output
}

function functionsOf(output: Output, contract: string): readonly CompiledFunction[] {
  const { abi, evm } = output.contracts['drawn.sol']?.[contract] ?? { abi: [], evm: undefined }
  const signatures = new Map(
    Object.entries(evm?.methodIdentifiers ?? {}).map(([signature, selector]) => [
      signature.slice(0, signature.indexOf('(')),
      { signature, selector },
    ]),
  )
  return abi.flatMap((entry) => {
    const found = signatures.get(entry.name)
    return found === undefined ? [] : [{ entry, ...found }]
  })
}

/** Compiles an interface with parameters of random types and returns its functions. */
export function drawFunctions(count: number, random: () => number): readonly CompiledFunction[] {
  const draw = (below: number) => Math.floor(random() * below)
  const functions = Array.from(
    { length: count },
    (_, at) => `  function f${at}(${parameters(draw, 'calldata')}) external;`,
  )
  const source = `pragma solidity >=0.8.0;${declarations(draw)}\ninterface Drawn {\n${functions.join('\n')}\n}`
  return functionsOf(compile(source), 'Drawn')
}

/** Compiles a library with parameters of random types and returns the functions in its ABI. */
export function drawLibrary(count: number, random: () => number): readonly CompiledFunction[] {
  const draw = (below: number) => Math.floor(random() * below)
  const functions = Array.from({ length: count }, (_, at) => {
    const location = draw(4) === 0 ? 'storage' : 'memory'
    return `  function f${at}(${parameters(draw, location)}) public view {}`
  })
  const source = `pragma solidity >=0.8.0;${declarations(draw)}\nlibrary Drawn {\n${functions.join('\n')}\n}`
  return functionsOf(compile(source), 'Drawn')
}
