import type { PreludeConstants } from './shared-buffer.ts'

type Bytes = Uint8Array<ArrayBuffer>
type Callable = (...args: unknown[]) => unknown

/** A tracer's functions, bound to it and to their arguments. Absent ones are undefined. */
interface Handlers {
  readonly setup: Callable | undefined
  readonly step: Callable | undefined
  readonly fault: Callable | undefined
  readonly enter: Callable | undefined
  readonly exit: Callable | undefined
  readonly result: () => string
}

/** Functions called by the host. */
export interface Controls {
  /** Loads the object that a script evaluates to. */
  load(tracer: unknown): Handlers
  /** Returns one line about a thrown value, with its position if known. */
  describe(thrown: unknown): string
}

/**
 * Runs in the sandbox before any script and defines what scripts see: geth's objects and functions over the shared
 * buffer. Its source text is evaluated there, so it uses nothing from outside.
 *
 * A script may replace any property of any built-in object. Everything used later is therefore captured before the
 * script runs. Afterwards: no method calls on values, no iteration, no array writes past the end.
 */
export function prelude(
  buffer: ArrayBuffer,
  host: (bytes?: ArrayBuffer) => unknown,
  constants: string,
): Controls {
  const {
    field,
    kind,
    question,
    context,
    stackAt,
    windowAt,
    windowBytes,
    opcodeNames,
    resultLength,
  } = JSON.parse(constants) as PreludeConstants
  const fields = new Uint32Array(buffer)
  const bytes = new Uint8Array(buffer)
  const limbs = new BigUint64Array(buffer)

  const { apply, defineProperty, ownKeys } = Reflect
  const { isArray } = Array
  const { stringify } = JSON
  const { trunc, min } = Math
  const { isNaN: isNotNumber, isInteger } = Number
  const { getPrototypeOf } = Object
  const Octets = Uint8Array
  const toNumber = Number
  const toText = String
  const Failure = Error
  const unbound = <Self, Args extends unknown[], Result>(
    method: (this: Self, ...args: Args) => Result,
  ) => Function.prototype.call.bind(method) as unknown as (self: Self, ...args: Args) => Result
  const getterOf = (object: object, name: string | symbol) =>
    unbound(Object.getOwnPropertyDescriptor(object, name)?.get as () => unknown)
  const typedArray = Object.getPrototypeOf(Octets.prototype) as object
  const lengthOf = getterOf(typedArray, 'length') as (array: Bytes) => number
  const tagOf = getterOf(typedArray, Symbol.toStringTag) as (value: unknown) => string | undefined
  const bufferOf = getterOf(typedArray, 'buffer') as (array: Bytes) => ArrayBuffer
  const sliceBuffer = unbound(ArrayBuffer.prototype.slice)
  const sliceBytes = unbound(Octets.prototype.slice) as (
    array: Bytes,
    start: number,
    end: number,
  ) => Bytes
  const textOf = unbound(String.prototype.valueOf)
  const bigIntText = unbound(BigInt.prototype.toString)
  const codeAt = unbound(String.prototype.charCodeAt)
  const sliceText = unbound(String.prototype.slice)
  const findText = unbound(String.prototype.indexOf)
  const bind = unbound(Function.prototype.bind) as (
    method: Callable,
    self: unknown,
    ...args: unknown[]
  ) => Callable

  const define = (object: object, name: string, value: unknown): void => {
    defineProperty(object, name, {
      // @ts-expect-error: a descriptor that inherits nothing, whatever became of Object.prototype
      __proto__: null,
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    })
  }

  define(buffer, 'constructor', undefined)

  // Reads a 64-bit number. Most have no high half.
  const number = (at: number): number => {
    const high = fields[at + 1] as number
    return high === 0 ? (fields[at] as number) : high * 4294967296 + (fields[at] as number)
  }

  const setNumber = (at: number, value: number): void => {
    fields[at] = value
    fields[at + 1] = value / 4294967296
  }

  const ask = (what: number, argument?: ArrayBuffer): unknown => {
    fields[field.question] = what
    return argument === undefined ? host() : host(argument)
  }

  // Ends the trace with this message, even if the script catches the error.
  const fail = (message: string): never => {
    const length = min(message.length, windowBytes)
    for (let i = 0; i < length; i++) bytes[windowAt + i] = codeAt(message, i)
    fields[field.length] = length
    ask(question.fail)
    throw new Failure(message)
  }

  let library: Callable | undefined
  // Prototype of the library's numbers. A number is an object with this prototype and a `value`.
  let numbers: object | undefined
  const bigIntLibrary = (): Callable => {
    if (library !== undefined) return library
    library = ask(question.bigInt) as Callable
    const shared = getPrototypeOf(library(0)) as { toString: Callable }
    const writeSlowly = shared.toString
    // The library divides once per digit (300 us per word). QuickJS formats the same digits at once.
    shared.toString = function (this: { readonly value: bigint }, radix, alphabet) {
      const isPlain = isInteger(radix) && (radix as number) >= 2 && (radix as number) <= 36
      if (isPlain && !alphabet) return bigIntText(this.value, radix as number)
      return apply(writeSlowly, this, [radix, alphabet])
    }
    numbers = shared
    return library
  }

  // Returns the word of four little-endian limbs at an address as a library number.
  const word = (at: number): object => {
    const i = at >> 3
    let value = limbs[i] as bigint
    const wide = at >> 2
    const isWide =
      ((fields[wide + 2] as number) |
        (fields[wide + 3] as number) |
        (fields[wide + 4] as number) |
        (fields[wide + 5] as number) |
        (fields[wide + 6] as number) |
        (fields[wide + 7] as number)) !==
      0
    if (isWide) {
      value |= (limbs[i + 1] as bigint) << 64n
      value |= (limbs[i + 2] as bigint) << 128n
      value |= (limbs[i + 3] as bigint) << 192n
    }
    if (numbers === undefined) bigIntLibrary()
    return { __proto__: numbers, value }
  }

  // Copies into the script's own memory. `slice` would read a buffer's `constructor` and thus expose it.
  const copyOf = (source: ArrayBuffer, start: number, end: number): Bytes =>
    new Octets(sliceBuffer(source, start, end))

  const answerBytes = (returned: unknown): Bytes => {
    const length = fields[field.length] as number
    if (length <= windowBytes) return copyOf(buffer, windowAt, windowAt + length)
    define(returned as ArrayBuffer, 'constructor', undefined)
    return copyOf(returned as ArrayBuffer, 0, length)
  }

  const get = (what: number, argument?: ArrayBuffer): unknown => {
    const returned = ask(what, argument)
    switch (fields[field.kind]) {
      case kind.number:
        return number(field.number)
      case kind.boolean:
        return fields[field.number] !== 0
      case kind.word:
        return word(windowAt)
      case kind.bytes:
        return answerBytes(returned)
      case kind.text:
        return returned
      default:
        return undefined
    }
  }

  // Converts an argument that geth reads as a signed integer.
  const integer = (value: unknown): number => {
    if (typeof value === 'number' && (value | 0) === value) return value
    const whole = trunc(toNumber(value))
    return isNotNumber(whole) ? 0 : whole
  }

  const digit = (code: number): number => {
    if (code >= 48 && code <= 57) return code - 48
    if (code >= 97 && code <= 102) return code - 87
    if (code >= 65 && code <= 70) return code - 55
    return -1
  }

  // Parses hex of any length, with or without 0x, up to the first non-digit, like geth's FromHex.
  const parseHex = (text: string): Bytes => {
    const isPrefixed = text.length >= 2 && text[0] === '0' && (text[1] === 'x' || text[1] === 'X')
    const start = isPrefixed ? 2 : 0
    const odd = (text.length - start) & 1
    const count = (text.length - start + odd) >> 1
    const parsed = new Octets(count)
    for (let i = 0; i < count; i++) {
      const at = start + 2 * i - odd
      const high = at < start ? 0 : digit(codeAt(text, at))
      const low = digit(codeAt(text, at + 1))
      if (high < 0 || low < 0) return sliceBytes(parsed, 0, i)
      parsed[i] = high * 16 + low
    }
    return parsed
  }

  const asText = (value: unknown): string | undefined => {
    if (typeof value === 'string') return value
    try {
      return textOf(value as string)
    } catch {
      return undefined
    }
  }

  // Converts what geth accepts as bytes: a Uint8Array, an array, and in places a hex string.
  const bytesOf = (value: unknown, takesText: boolean): Bytes => {
    if (tagOf(value) === 'Uint8Array') return value as Bytes
    if (isArray(value)) {
      const parsed = new Octets(value.length)
      for (let i = 0; i < value.length; i++) parsed[i] = value[i] as number
      return parsed
    }
    const text = takesText ? asText(value) : undefined
    return text === undefined ? fail('invalid buffer type') : parseHex(text)
  }

  // Returns the last `size` bytes, left-padded with zeros.
  const resize = (value: Bytes, size: number): Bytes => {
    const fitted = new Octets(size)
    const length = lengthOf(value)
    for (let i = 1; i <= size && i <= length; i++) fitted[size - i] = value[length - i] as number
    return fitted
  }

  // Writes the last bytes of a value to the window, left-padded with zeros.
  const put = (value: Bytes, offset: number, size: number): void => {
    const length = lengthOf(value)
    const end = windowAt + offset + size
    for (let i = 1; i <= size; i++) bytes[end - i] = i <= length ? (value[length - i] as number) : 0
  }

  const putAddress = (value: unknown, takesText: boolean): void => {
    put(bytesOf(value, takesText), 0, 20)
  }

  // Copies bytes of any length for the host, into a buffer without other bytes.
  const argumentOf = (value: Bytes): ArrayBuffer => bufferOf(sliceBytes(value, 0, lengthOf(value)))

  const log = {
    op: {
      toNumber: () => fields[field.opcode],
      toString: () => opcodeNames[fields[field.opcode] as number],
      isPush: () =>
        (fields[field.opcode] as number) >= 0x5f && (fields[field.opcode] as number) <= 0x7f,
    },
    stack: {
      length: () => fields[field.stackHeight],
      peek(position: unknown) {
        const height = fields[field.stackHeight] as number
        const index = integer(position)
        if (index < 0 || index >= height) {
          fail(`tracer accessed out of bound stack: size ${height}, index ${index}`)
        }
        const at = height - 1 - index
        if (at < (fields[field.stackFrom] as number)) ask(question.stack)
        return word(stackAt + 32 * at)
      },
    },
    memory: {
      length: () => fields[field.memorySize],
      slice(begin: unknown, end: unknown) {
        const from = integer(begin)
        const to = integer(end)
        if (from === to) return new Octets(0)
        if (to < from || from < 0) {
          fail(`tracer accessed out of bound memory: offset ${from}, end ${to}`)
        }
        const padding = to - (fields[field.memorySize] as number)
        if (padding > 1048576) fail(`reached limit for padding memory slice: ${padding}`)
        setNumber(field.first, from)
        setNumber(field.second, to - from)
        return get(question.memory)
      },
      getUint(position: unknown) {
        const at = integer(position)
        const size = fields[field.memorySize] as number
        if (at < 0 || at + 32 > size) {
          fail(`tracer accessed out of bound memory: available ${size}, offset ${at}, size 32`)
        }
        setNumber(field.first, at)
        setNumber(field.second, 32)
        ask(question.memory)
        // Convert 32 big-endian bytes to a word, in place.
        for (let i = 0; i < 16; i++) {
          const low = bytes[windowAt + i] as number
          bytes[windowAt + i] = bytes[windowAt + 31 - i] as number
          bytes[windowAt + 31 - i] = low
        }
        return word(windowAt)
      },
    },
    contract: {
      getCaller: () => get(question.caller),
      getAddress: () => get(question.address),
      getValue: () => get(question.value),
      getInput: () => get(question.input),
    },
    getPC: () => fields[field.pc],
    getGas: () => number(field.gas),
    getCost: () => number(field.cost),
    getDepth: () => fields[field.depth],
    getRefund: () => number(field.refund),
    getError: () => (fields[field.isFailed] === 0 ? undefined : get(question.error)),
  }

  const db = {
    getBalance(address: unknown) {
      putAddress(address, false)
      return get(question.balance)
    },
    getNonce(address: unknown) {
      putAddress(address, false)
      return get(question.nonce)
    },
    getCode(address: unknown) {
      putAddress(address, false)
      return get(question.code)
    },
    getState(address: unknown, key: unknown) {
      const slot = bytesOf(key, false)
      putAddress(address, false)
      put(slot, 32, 32)
      return get(question.state)
    },
    exists(address: unknown) {
      putAddress(address, false)
      return get(question.exists)
    },
  }

  const frame = {
    getType: () => get(question.frameType),
    getFrom: () => get(question.frameFrom),
    getTo: () => get(question.frameTo),
    getInput: () => get(question.frameInput),
    getGas: () => get(question.frameGas),
    getValue: () => get(question.frameValue),
  }

  const frameResult = {
    getGasUsed: () => get(question.exitGasUsed),
    getOutput: () => get(question.exitOutput),
    getError: () => get(question.exitError),
  }

  const functions: Readonly<Record<string, Callable>> = {
    toHex(value) {
      const data = bytesOf(value, false)
      const length = lengthOf(data)
      setNumber(field.first, length)
      if (length > 64) return ask(question.hex, argumentOf(data))
      for (let i = 0; i < length; i++) bytes[windowAt + i] = data[i] as number
      return ask(question.hex)
    },
    toWord: (value) => resize(bytesOf(value, true), 32),
    toAddress: (value) => resize(bytesOf(value, true), 20),
    toContract(from, nonce) {
      const sequence = integer(nonce)
      putAddress(from, true)
      setNumber(field.first, sequence)
      return get(question.createAddress)
    },
    toContract2(from, salt, initcode) {
      const key = parseHex(toText(salt))
      const code = bytesOf(initcode, true)
      const address = bytesOf(from, true)
      put(address, 0, 20)
      put(key, 32, 32)
      return get(question.create2Address, argumentOf(code))
    },
    isPrecompiled(address) {
      putAddress(address, true)
      return get(question.isPrecompiled)
    },
    slice(value, start, end) {
      const data = bytesOf(value, false)
      const from = integer(start)
      const to = integer(end)
      const length = lengthOf(data)
      if (from < 0 || from > to || to > length) {
        fail(
          `Tracer accessed out of bound memory: available ${length}, offset ${from}, size ${to - from}`,
        )
      }
      return sliceBytes(data, from, to)
    },
  }

  // Defines a member created on first read: few scripts need the `bigInt` library.
  const defineLazily = (object: object, name: string, make: () => unknown): void => {
    defineProperty(object, name, {
      // @ts-expect-error: as above
      __proto__: null,
      get() {
        const value = make()
        define(object, name, value)
        return value
      },
      set: (value: unknown) => define(object, name, value),
      enumerable: true,
      configurable: true,
    })
  }

  const addMember = (members: object, index: number): void => {
    const name = context[index] as string
    const read = () => {
      setNumber(field.first, index)
      return get(question.context)
    }
    if (name === 'value' || name === 'gasPrice') {
      defineLazily(members, name, read)
      return
    }
    const value = read()
    if (value !== undefined) define(members, name, value)
  }

  const buildContext = (): object => {
    const members = {}
    for (let i = 0; i < context.length; i++) addMember(members, i)
    return members
  }

  const ALLOWED: readonly string[] = [
    ...[
      'Error',
      'EvalError',
      'RangeError',
      'ReferenceError',
      'SyntaxError',
      'TypeError',
      'URIError',
    ],
    ...['InternalError', 'AggregateError', 'Array', 'Object', 'Function', 'Iterator', 'Number'],
    ...[
      'Boolean',
      'String',
      'Symbol',
      'BigInt',
      'RegExp',
      'Math',
      'JSON',
      'Reflect',
      'Proxy',
      'Promise',
    ],
    ...[
      'Map',
      'Set',
      'WeakMap',
      'WeakSet',
      'ArrayBuffer',
      'DataView',
      'Uint8ClampedArray',
      'Int8Array',
    ],
    ...['Uint8Array', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array', 'BigInt64Array'],
    ...['BigUint64Array', 'Float16Array', 'Float32Array', 'Float64Array', 'parseInt', 'parseFloat'],
    ...['isNaN', 'isFinite', 'decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent'],
    ...['escape', 'unescape', 'Infinity', 'NaN', 'undefined', 'eval', 'globalThis'],
  ]
  // Remove clocks, randomness and garbage collector access, so that results are reproducible.
  for (const name of ownKeys(globalThis)) {
    if (typeof name === 'string' && !ALLOWED.includes(name))
      Reflect.deleteProperty(globalThis, name)
  }
  Reflect.deleteProperty(Math, 'random')
  for (const name of ownKeys(functions) as string[]) {
    defineProperty(globalThis, name, {
      value: functions[name],
      writable: true,
      enumerable: false,
      configurable: true,
    })
  }
  defineLazily(globalThis, 'bigInt', bigIntLibrary)

  const load = (tracer: unknown): Handlers => {
    const object = tracer as Record<string, unknown> | null | undefined
    const find = (name: string): Callable | undefined => {
      const member = object?.[name]
      return typeof member === 'function' ? (member as Callable) : undefined
    }
    const result = find('result') ?? fail('trace object must expose a function result()')
    const fault = find('fault')
    const step = find('step')
    const enter = find('enter')
    const exit = find('exit')
    if ((enter === undefined) !== (exit === undefined)) {
      fail('trace object must expose either both or none of enter() and exit()')
    }
    const setup = find('setup')
    return {
      setup: setup && bind(setup, object),
      step: step && bind(step, object, log, db),
      fault: fault && bind(fault, object, log, db),
      enter: enter && bind(enter, object, frame),
      exit: exit && bind(exit, object, frameResult),
      result() {
        const value = apply(result, object, [buildContext(), db])
        const text = stringify(value) as string | undefined
        if (text === undefined) return 'null'
        if (text.length > resultLength) ask(question.tooLong)
        return text
      },
    }
  }

  const describe = (thrown: unknown): string => {
    let text = 'an exception that has no text'
    try {
      text = toText(thrown)
    } catch {}
    let place = ''
    try {
      const { stack } = thrown as { readonly stack: unknown }
      if (typeof stack === 'string') place = sliceText(stack, 0, findText(stack, '\n'))
      const at = findText(place, 'at ')
      place = at < 0 ? '' : ` ${sliceText(place, at, at + 100)}`
    } catch {}
    return sliceText(text, 0, 1000) + place
  }

  return { load, describe }
}
