package activity

// Period is the time between the first two rising edges within the interval, 0 when there are not two.
func (c *Clock) Period() int64 {
	if len(c.rises) < 2 {
		return 0
	}
	return c.rises[1] - c.rises[0]
}
