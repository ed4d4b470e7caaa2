"""How strong is a test case? Its solution is broken in many small ways, and its tests have to notice."""
