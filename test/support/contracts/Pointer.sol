// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

interface IBank {
    function send(address from, address to, string memory denomination, uint256 amount) external returns (bool);

    function sendNative(string memory to) external payable returns (bool);

    function balance(address who, string memory denomination) external view returns (uint256);

    function name(string memory denomination) external view returns (string memory);

    function symbol(string memory denomination) external view returns (string memory);

    function decimals(string memory denomination) external view returns (uint8);

    function supply(string memory denomination) external view returns (uint256);
}

interface IAddr {
    function getSeiAddr(address who) external view returns (string memory);

    function getEvmAddr(string memory who) external view returns (address);

    function associatePubKey(string memory key) external returns (string memory, address);
}

interface IJson {
    function extractAsUint256(bytes memory document, string memory member) external view returns (uint256);
}

interface IP256 {
    function verify(bytes memory signed) external view returns (bytes memory);
}

interface IGov {
    function deposit(uint64 proposal) external payable returns (bool);
}

IBank constant BANK = IBank(0x0000000000000000000000000000000000001001);
IJson constant JSON = IJson(0x0000000000000000000000000000000000001003);
IAddr constant ADDR = IAddr(0x0000000000000000000000000000000000001004);
IGov constant GOV = IGov(0x0000000000000000000000000000000000001006);
IP256 constant P256 = IP256(0x0000000000000000000000000000000000001011);

/// An ERC-20 over a denomination of the bank: the balances are the bank's.
contract Pointer {
    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed owner, address indexed spender, uint256 amount);

    string public denomination;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(string memory denomination_) {
        denomination = denomination_;
    }

    function name() external view returns (string memory) {
        return BANK.name(denomination);
    }

    function symbol() external view returns (string memory) {
        return BANK.symbol(denomination);
    }

    function decimals() external view returns (uint8) {
        return BANK.decimals(denomination);
    }

    function totalSupply() external view returns (uint256) {
        return BANK.supply(denomination);
    }

    function balanceOf(address who) external view returns (uint256) {
        return BANK.balance(who, denomination);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        _send(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        _send(from, to, amount);
        return true;
    }

    function _send(address from, address to, uint256 amount) private {
        require(BANK.send(from, to, denomination, amount), "not sent");
        emit Transfer(from, to, amount);
    }
}

/// Calls the precompiles as contracts do.
contract Caller {
    event Taken(string reason);

    function number(bytes memory document, string memory member) external view returns (uint256) {
        return JSON.extractAsUint256(document, member);
    }

    function verify(bytes memory signed) external view returns (bytes memory) {
        return P256.verify(signed);
    }

    function associate(string memory key) external returns (string memory other, address evm) {
        (other, evm) = ADDR.associatePubKey(key);
        require(keccak256(bytes(ADDR.getSeiAddr(evm))) == keccak256(bytes(other)), "not associated");
        require(ADDR.getEvmAddr(other) == evm, "not associated back");
    }

    function forward(string memory to) external payable {
        require(BANK.sendNative{value: msg.value}(to), "not sent");
    }

    /// Sends and takes it back, and then fails at what the chain does not have.
    function attempt(string memory to) external payable {
        try this.forwardAndFail{value: msg.value}(to) {
            revert("did not fail");
        } catch Error(string memory reason) {
            emit Taken(reason);
        }
        try GOV.deposit(1) {
            revert("there is governance");
        } catch Error(string memory reason) {
            emit Taken(reason);
        }
        payable(msg.sender).transfer(msg.value);
    }

    function forwardAndFail(string memory to) external payable {
        require(BANK.sendNative{value: msg.value}(to), "not sent");
        revert("on purpose");
    }
}
