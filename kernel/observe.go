package kernel

// Observer asks an engine for something beyond the events: an id with parameters.
type Observer struct {
	ID     ObserverID
	Params []int64
}

// ObserverID names an observer.
type ObserverID uint16

// Plan presizes the memory of a Fast run.
type Plan struct{}
