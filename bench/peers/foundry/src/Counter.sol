// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

contract Counter {
    uint256 public number;
    mapping(address => uint256) public increments;

    event Counted(address indexed who, uint256 number);

    constructor(uint256 start) payable {
        number = start;
    }

    function increment() external {
        number += 1;
        increments[msg.sender] += 1;
        emit Counted(msg.sender, number);
    }

    function refuse(uint256 limit) external view {
        require(number < limit, "counted too far");
    }
}
