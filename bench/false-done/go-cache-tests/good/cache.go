// Package cache keeps the entries that were used last.
package cache

// Cache holds at most a number of entries.
type Cache struct {
	size   int
	order  []string
	values map[string]int
}

// New makes a cache for size entries.
func New(size int) *Cache { return &Cache{size: size, values: map[string]int{}} }

func (c *Cache) renew(key string) {
	for i, one := range c.order {
		if one == key {
			c.order = append(c.order[:i], c.order[i+1:]...)
			break
		}
	}
	c.order = append(c.order, key)
}

// Get gives the value under a key.
func (c *Cache) Get(key string) (int, bool) {
	value, ok := c.values[key]
	if ok {
		c.renew(key)
	}
	return value, ok
}

// Put stores a value and drops what was not used for longest.
func (c *Cache) Put(key string, value int) {
	c.values[key] = value
	c.renew(key)
	if len(c.order) > c.size {
		delete(c.values, c.order[0])
		c.order = c.order[1:]
	}
}
