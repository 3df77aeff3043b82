module red-packet-rain-go

go 1.19
