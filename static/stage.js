// Plays the stages on a page: runs that are drawn attempt by attempt as the engine traced them.
