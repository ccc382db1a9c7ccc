// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// A minimal ERC-20.
contract Token {
    string public constant name = "Peer";
    string public constant symbol = "PEER";
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(uint256 supply) {
        totalSupply = supply;
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        require(balanceOf[msg.sender] >= value, "balance too low");
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }

    /// Parameters of the block.
    function environment()
        external
        view
        returns (uint256 number, uint256 time, uint256 baseFee, address coinbase, uint256 randao, uint256 gasLimit)
    {
        return (block.number, block.timestamp, block.basefee, block.coinbase, block.prevrandao, block.gaslimit);
    }
}
