import { createContract, parseAbi } from 'micro-eth-signer/abi.js'
import { formatData, type Hex, parseData } from '../base/hex.ts'
import { lookup } from '../base/lookup.ts'
import { type AbiParameter, abiInput, abiOutput, type JsonValue } from './abi-value.ts'
import { ActionError } from './action-error.ts'
import { plainText } from './plain-text.ts'

interface Parameter {
  readonly type: string
  readonly name?: string
  readonly components?: readonly Parameter[]
}

interface ParsedFunction {
  readonly type: string
  readonly name?: string
  readonly inputs?: readonly Parameter[]
  readonly outputs?: readonly Parameter[]
  readonly stateMutability?: string
}

interface Method {
  encodeInput(value?: unknown): Uint8Array
  decodeOutput(bytes: Uint8Array): unknown
}

/** Maximum length of a signature, enough for dozens of parameters. */
const MAX_SIGNATURE = 1000

/** Maximum bytes of an output to decode. Far more than is shown of it. */
const MAX_OUTPUT = 200_000

/** Removes names, so that values are in arrays by position whatever the contract's author named them. */
function unnamed({ type, components }: Parameter): AbiParameter {
  return { type, ...(components !== undefined && { components: components.map(unnamed) }) }
}

function takesCallback({ type, components = [] }: AbiParameter): boolean {
  return type.startsWith('function') || components.some(takesCallback)
}

/** A contract function given by its signature. Encodes calls and decodes results as JSON. */
export class AbiCall {
  readonly name: string
  /** The hashed form: `balanceOf(address)`. */
  readonly stateMutability: string
  readonly #inputs: readonly AbiParameter[]
  readonly #outputs: readonly AbiParameter[]
  readonly #method: Method

  /**
   * @param signature in Solidity: `function balanceOf(address owner) view returns (uint256)`
   * @throws INVALID_ARGUMENT
   */
  constructor(signature: string) {
    const parsed = parseFunction(signature)
    this.name = parsed.name as string
    this.stateMutability = parsed.stateMutability ?? 'nonpayable'
    this.#inputs = (parsed.inputs ?? []).map(unnamed)
    // The encoder would treat a callback inside a tuple as a whole function, and hash another signature.
    if (this.#inputs.some(takesCallback)) {
      const text = `${this.name} takes a function as an argument, which is not supported`
      throw new ActionError('INVALID_ARGUMENT', text, { next: 'call another function' })
    }
    this.#outputs = (parsed.outputs ?? []).map(unnamed)
    const abi = [{ ...parsed, inputs: this.#inputs, outputs: this.#outputs }]
    try {
      const contract = createContract(abi as never) as unknown as Readonly<Record<string, Method>>
      this.#method = lookup(contract, this.name) as Method
    } catch (cause) {
      throw invalidSignature(signature, cause)
    }
  }

  /** Returns the calldata. @throws INVALID_ARGUMENT with the argument and its type */
  encode(args: readonly JsonValue[]): Hex {
    if (args.length !== this.#inputs.length) {
      const text = `${this.name} takes ${this.#inputs.length} arguments, but ${args.length} are given`
      throw new ActionError('INVALID_ARGUMENT', text)
    }
    const values = this.#inputs.map((input, i) =>
      abiInput(input, args[i] as JsonValue, `args[${i}]`),
    )
    try {
      return formatData(this.#method.encodeInput(values.length === 1 ? values[0] : values))
    } catch (cause) {
      const text = `the arguments do not match ${this.name}(${this.#inputs.map(({ type }) => type).join(',')})`
      throw new ActionError('INVALID_ARGUMENT', text, { cause })
    }
  }

  /** Returns the decoded output, one value per return value of the signature. @throws CHAIN_REFUSED */
  decode(output: Hex): readonly JsonValue[] {
    if (this.#outputs.length === 0) return []
    const words = (output.length - 2) / 2
    try {
      if (words > MAX_OUTPUT) throw new Error(`${words} bytes`)
      const decoded = this.#method.decodeOutput(parseData(output))
      const values = this.#outputs.length === 1 ? [decoded] : (decoded as readonly unknown[])
      return this.#outputs.map((type, i) => abiOutput(type, values[i]))
    } catch (cause) {
      const types = this.#outputs.map(({ type }) => type).join(',')
      const text = `the contract answered ${this.name} with ${words} bytes that do not decode as (${types})`
      throw new ActionError('CHAIN_REFUSED', text, {
        next: 'check that the address is a contract with this function, and the return types',
        cause,
      })
    }
  }
}

function parseFunction(signature: string): ParsedFunction {
  let parsed: ParsedFunction | undefined
  try {
    if (signature.length > MAX_SIGNATURE) throw new Error('too long')
    const text = signature.startsWith('function ') ? signature : `function ${signature}`
    parsed = parseAbi([text] as never)[0] as ParsedFunction
  } catch (cause) {
    throw invalidSignature(signature, cause)
  }
  if (parsed?.type === 'function' && parsed.name !== undefined) return parsed
  throw invalidSignature(signature)
}

function invalidSignature(signature: string, cause?: unknown): ActionError {
  const text = `"${plainText(signature, 100)}" is not a function signature`
  return new ActionError('INVALID_ARGUMENT', text, {
    next: 'write it as in Solidity: function balanceOf(address owner) view returns (uint256)',
    cause,
  })
}
