/**
 * Builds the call tree from opcodes alone, as geth's callTracer did before it had frames. It lacks what opcodes do
 * not show: the gas of a call to an account without code, and the reason of a failure.
 */
export const CALL_TREE = `{
  // The calls that are open, the transaction's own first.
  open: [{}],
  isEntering: false,

  attach: function(call) {
    var parent = this.open[this.open.length - 1]
    parent.calls = parent.calls || []
    parent.calls.push(call)
  },

  descend: function(log, call) {
    call.type = log.op.toString()
    call.from = toHex(log.contract.getAddress())
    call.before = log.getGas() - log.getCost()
    this.open.push(call)
    this.isEntering = true
  },

  step: function(log, db) {
    if (log.getError() !== undefined) return this.fault(log, db)
    var isSystem = (log.op.toNumber() & 0xf0) === 0xf0
    var name = isSystem ? log.op.toString() : ''
    var data = function(at) {
      var from = log.stack.peek(at).valueOf()
      return toHex(log.memory.slice(from, from + log.stack.peek(at + 1).valueOf()))
    }
    switch (name) {
      case 'CREATE':
      case 'CREATE2':
        return this.descend(log, { input: data(1), value: '0x' + log.stack.peek(0).toString(16) })
      case 'SELFDESTRUCT':
        return this.attach({
          type: name,
          from: toHex(log.contract.getAddress()),
          to: toHex(toAddress(log.stack.peek(0).toString(16))),
          value: '0x' + db.getBalance(log.contract.getAddress()).toString(16),
        })
      case 'CALL':
      case 'CALLCODE':
      case 'DELEGATECALL':
      case 'STATICCALL':
        var to = toAddress(log.stack.peek(1).toString(16))
        if (isPrecompiled(to)) return
        var hasValue = name === 'CALL' || name === 'CALLCODE'
        var at = hasValue ? 3 : 2
        var call = { to: toHex(to), input: data(at) }
        call.output = [log.stack.peek(at + 2).valueOf(), log.stack.peek(at + 3).valueOf()]
        if (hasValue) call.value = '0x' + log.stack.peek(2).toString(16)
        return this.descend(log, call)
    }
    if (this.isEntering) {
      if (log.getDepth() >= this.open.length) this.open[this.open.length - 1].gas = log.getGas()
      this.isEntering = false
    }
    if (name === 'REVERT') this.open[this.open.length - 1].error = 'execution reverted'
    else if (log.getDepth() === this.open.length - 1) this.leave(log, db)
  },

  leave: function(log, db) {
    var call = this.open.pop()
    var given = log.stack.peek(0)
    var isCreation = call.to === undefined
    var where = call.output
    delete call.output
    if (isCreation) call.gasUsed = '0x' + bigInt(call.before - log.getGas()).toString(16)
    else if (call.gas !== undefined) {
      call.gasUsed = '0x' + bigInt(call.before + call.gas - log.getGas()).toString(16)
    }
    if (given.equals(0)) call.error = call.error || 'internal failure'
    else if (isCreation) {
      call.to = toHex(toAddress(given.toString(16)))
      call.output = toHex(db.getCode(toAddress(given.toString(16))))
    } else call.output = toHex(log.memory.slice(where[0], where[0] + where[1]))
    if (call.gas !== undefined) call.gas = '0x' + bigInt(call.gas).toString(16)
    this.attach(call)
  },

  fault: function(log, db) {
    if (this.open[this.open.length - 1].error !== undefined) return
    var call = this.open.pop()
    call.error = log.getError()
    if (call.gas !== undefined) call.gas = call.gasUsed = '0x' + bigInt(call.gas).toString(16)
    delete call.output
    if (this.open.length > 0) this.attach(call)
    else this.open.push(call)
  },

  result: function(ctx, db) {
    var root = this.open[0]
    var error = root.error || ctx.error
    var shown = {
      type: ctx.type,
      from: toHex(ctx.from),
      to: toHex(ctx.to),
      value: '0x' + ctx.value.toString(16),
      gas: '0x' + bigInt(ctx.gas).toString(16),
      gasUsed: '0x' + bigInt(ctx.gasUsed).toString(16),
      input: toHex(ctx.input),
      output: toHex(ctx.output),
    }
    if (root.calls) shown.calls = root.calls
    if (error) {
      shown.error = error
      if (error !== 'execution reverted' || shown.output === '0x') delete shown.output
    }
    var clean = function(call) {
      delete call.before
      ;(call.calls || []).forEach(clean)
      return call
    }
    return clean(shown)
  },
}`

/** Collects the accounts and slots that opcodes access, with their values before the transaction. */
export const PRESTATE = `{
  accounts: null,

  account: function(address, db) {
    var name = toHex(address)
    this.accounts[name] = this.accounts[name] || {
      balance: '0x' + db.getBalance(address).toString(16),
      nonce: db.getNonce(address),
      code: toHex(db.getCode(address)),
      storage: {},
    }
    return this.accounts[name]
  },

  step: function(log, db) {
    var self = log.contract.getAddress()
    if (this.accounts === null) {
      this.accounts = {}
      this.account(self, db)
    }
    var top = function(at) { return log.stack.peek(at).toString(16) }
    switch (log.op.toString()) {
      case 'EXTCODECOPY': case 'EXTCODESIZE': case 'EXTCODEHASH': case 'BALANCE':
        this.account(toAddress(top(0)), db)
        break
      case 'CREATE':
        this.account(toContract(self, db.getNonce(self)), db)
        break
      case 'CREATE2':
        var from = log.stack.peek(1).valueOf()
        var code = log.memory.slice(from, from + log.stack.peek(2).valueOf())
        this.account(toContract2(self, top(3), code), db)
        break
      case 'CALL': case 'CALLCODE': case 'DELEGATECALL': case 'STATICCALL':
        this.account(toAddress(top(1)), db)
        break
      case 'SLOAD': case 'SSTORE':
        var key = toWord(top(0))
        var slots = this.account(self, db).storage
        slots[toHex(key)] = slots[toHex(key)] || toHex(db.getState(self, key))
    }
  },

  result: function(ctx, db) {
    this.accounts = this.accounts || {}
    var to = this.account(ctx.to, db)
    var from = this.account(ctx.from, db)
    // Both as they were before the value and the fee were paid
    to.balance = '0x' + bigInt(to.balance.slice(2), 16).subtract(ctx.value).toString(16)
    var paid = ctx.value.add(ctx.gasUsed * ctx.gasPrice)
    from.balance = '0x' + bigInt(from.balance.slice(2), 16).add(paid).toString(16)
    from.nonce--
    if (ctx.type === 'CREATE') delete this.accounts[toHex(ctx.to)]
    return this.accounts
  },
}`
