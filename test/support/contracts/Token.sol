// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// An ERC-20 with one failure of each kind: a reason string, a custom error, a panic.
contract Token {
    string public constant name = "Lockstep Test Token";
    string public constant symbol = "LTT";
    uint8 public constant decimals = 6;

    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    error InsufficientBalance(address account, uint256 balance, uint256 needed);

    constructor(uint256 supply) {
        totalSupply = supply;
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        require(allowance[from][msg.sender] >= value, "allowance exceeded");
        allowance[from][msg.sender] -= value;
        move(from, to, value);
        return true;
    }

    /// Fails with Panic(0x11): the arithmetic is checked.
    function burnTooMuch() external {
        totalSupply -= totalSupply + 1;
    }

    function move(address from, address to, uint256 value) private {
        uint256 balance = balanceOf[from];
        if (balance < value) revert InsufficientBalance(from, balance, value);
        balanceOf[from] = balance - value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

/// Calls a token from inside a call: gives call traces depth, a caught failure and logs at two levels.
contract Distributor {
    event Distributed(uint256 count);

    Token public immutable token;

    constructor(Token distributed) {
        token = distributed;
    }

    function distribute(address[] calldata to, uint256 value) external {
        for (uint256 i = 0; i < to.length; i++) {
            token.transferFrom(msg.sender, to[i], value);
        }
        try token.transfer(to[0], type(uint256).max) returns (bool) {} catch {}
        emit Distributed(to.length);
    }
}
